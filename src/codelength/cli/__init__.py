"""The command line: one file per command, no arithmetic."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from .app import main as run
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        sys.exit(130)
    run()

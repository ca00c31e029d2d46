"""Command line: one module per command, no arithmetic."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        # Importing takes long enough for an impatient user to press Ctrl-C.
        from .app import main as run
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        sys.exit(130)
    run()

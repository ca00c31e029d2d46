"""The command line: one file a command, no arithmetic."""


def main() -> None:
    """Run the command line."""
    from .app import main as run

    run()

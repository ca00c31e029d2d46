"""Command line: one module per command, no arithmetic.

A command reads its options, calls functions and estimators of the library, and shows or writes what they
return.

Order of reading: ``app`` (the group, errors, exit codes), ``fit`` (a short command), then the modules that
commands share: ``options`` and ``choices`` (options and the types of their values), ``command`` (help),
``source`` (the table), ``models`` (estimators from options), ``saving``, ``output`` and ``progress``. Modules
of the library are imported inside functions, so that ``--help`` and completions start quickly.
"""

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

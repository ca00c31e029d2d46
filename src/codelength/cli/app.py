"""The command line as a whole: commands, errors, signals and exit codes.

An error of the library is one line on standard error, without a traceback. Its type decides the exit code:
``InvalidParameter`` is a mistake in the call (2), other errors are in the data or the machine (1). An error
of any other type is a defect, and is raised again with its traceback.

Order of reading: the group ``app``, :func:`main`, :func:`run` (one command, whatever happens), ``_invoked``
(usage errors), ``_refused`` and ``_failed`` (errors of the library and of the system), ``_interruptible``.
"""

import errno
import os
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click

from .. import __version__
from ..errors import CodelengthError, InvalidParameter
from . import streams
from .choices import Choice
from .cluster import cluster
from .command import SETTINGS, Group, argument, command
from .datasets import datasets
from .evaluate import evaluate
from .explain import explain
from .export import export
from .fit import fit
from .inspect import inspect
from .output import notes, tell
from .predict import predict
from .query import query
from .report import report
from .reproduce import reproduce
from .serve import serve

ENDINGS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "the terminal was closed"}
"""Signals that end a command after its temporary files are removed, if the system has them."""

COMPLETE_VARIABLE = "_CODELENGTH_COMPLETE"
"""Environment variable by which a shell requests completions."""

BY_SIGNAL = 128
CLOSED_PIPE = 141
"""Exit codes of shells for processes ended by a signal: 128 plus its number."""


@click.group(cls=Group, context_settings=SETTINGS)
@click.version_option(__version__, message="codelength %(version)s", help="Show the version and exit.")
def app() -> None:
    """Honest class probabilities and code lengths for tables.

    A table is a CSV, Parquet, ARFF or JSON file, the name of a bundled table such as vote, or - for standard
    input. Every command has a --help.

    \b
    Examples:
      codelength fit vote -o vote.json
      codelength inspect vote.json
      codelength predict vote.json vote --carry class -o predictions.csv
      codelength explain vote.json vote --row 3
      codelength evaluate vote
      codelength cluster zoo -o zoo.json
      codelength report vote -o vote.html
      codelength reproduce predictive-inference --quick
      codelength serve vote
    """


@command("Print a shell completion script.")
@argument("shell", type=Choice("shell", "bash", "zsh", "fish"), purpose="Your shell.")
def completion(shell: str) -> None:
    """Print a script that completes commands, options and names in a shell.

    Put one of these lines into the start-up file of your shell:

    \b
      eval "$(codelength completion bash)"
      eval "$(codelength completion zsh)"
      codelength completion fish | source
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(app, {}, "codelength", COMPLETE_VARIABLE).source())


for each in (
    fit,
    predict,
    explain,
    query,
    inspect,
    evaluate,
    cluster,
    report,
    datasets,
    export,
    reproduce,
    serve,
    completion,
):
    app.add_command(each)


def main() -> None:
    """Run the command line and exit.

    The exit code is 0 if all went well, 1 for a problem with the data or the machine, 2 for one with the
    call, 130 after Ctrl-C, and 143 after SIGTERM.
    """
    # First, because everything below may print.
    streams.prepare()
    warnings.showwarning = _show_warning
    # Before the command is parsed: a shell asks for completions with an incomplete command.
    if instruction := os.environ.get(COMPLETE_VARIABLE):
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(app, {}, "codelength", COMPLETE_VARIABLE, instruction))
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command, given as the arguments after the name of the program.

    Returns
    -------
    int
        Exit code: 0, 1, 2, or 128 plus the number of a signal.

    Examples
    --------
    >>> run(["completion", "csh"])
    2
    """
    code, words = 0, ""
    with _interruptible() as signals:
        try:
            code = _invoked(arguments)
            streams.flush()
        except KeyboardInterrupt as interrupt:
            # Outside the main thread no handler is set, and the exception is the only sign of Ctrl-C.
            signals.append(signal.SIGINT)
            words = str(interrupt)
        except Exception as error:
            # Libraries may turn an interruption into an error of their own, of any type.
            if not signals:
                code = _failed(error) if isinstance(error, OSError) else _refused(error)
        if signals:
            code = BY_SIGNAL + signals[0]
            tell("error", f"{ENDINGS[signal.Signals(signals[0]).name]}{words}")
        # In every case, or the interpreter would report a broken pipe a second time at exit.
        streams.discard()
    return code


def _invoked(arguments: Sequence[str]) -> int:
    """Run a command by click, with usage errors on one line."""
    try:
        with app.make_context("codelength", list(arguments)) as context:
            app.invoke(context)
            for text in notes():
                tell("note", text)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    # Before UsageError, its base class: the help is the whole message here.
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        return error.exit_code
    except click.UsageError as error:
        hint = "" if error.ctx is None else f"; see {error.ctx.command_path} --help"
        message = error.format_message().rstrip(".")
        tell("error", f"{message[:1].lower()}{message[1:]}{hint}")
        return error.exit_code
    return 0


def _refused(error: Exception) -> int:
    """Print an error of the library and return its exit code; raise unexpected errors again."""
    if isinstance(error, MemoryError):
        tell("error", "not enough memory; take fewer rows, values or components")
    elif isinstance(error, UnicodeEncodeError):
        text = error.object[error.start : error.end]
        tell("error", f"the text {text!a} is not valid Unicode and cannot be written; mend the table")
    elif isinstance(error, CodelengthError):
        tell("error", error)
    else:
        raise error
    return 2 if isinstance(error, InvalidParameter) else 1


def _failed(error: OSError) -> int:
    """Print an error of the operating system and return its exit code."""
    if streams.is_closed_pipe(error):
        # The reader of our output, such as head, has ended; this is not an error of ours.
        return CLOSED_PIPE
    place, remedy = error.filename, ""
    if place is None and error.errno == errno.EBADF:
        place = "standard input"
    if place is None and not _is_somewhere():
        tell("error", "the current directory was deleted; change to another one")
        return 1
    # Other errors of files are named by their files; only temporary files of libraries are left.
    if place is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        place, remedy = tempfile.gettempdir(), "; set TMPDIR to a directory with more room"
    where = "" if place is None else f"{os.fsdecode(place)}: "
    tell("error", f"{where}{error.strerror or error}{remedy}")
    return 1


def _is_somewhere() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """End the block on any of several signals as on Ctrl-C; yield the list of the signals received."""
    received: list[int] = []
    before: dict[int, Any] = {}

    def take(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name) for name in ENDINGS if hasattr(signal, name)):
            # Signals that are ignored, as under nohup, stay ignored.
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, take)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    tell("warning", message)

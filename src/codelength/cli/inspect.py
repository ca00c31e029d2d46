"""``codelength inspect``."""

from . import options
from .choices import FILE
from .command import argument, command
from .output import print_json, show


@command("Show what a model knows.")
@argument("model", metavar="MODEL", type=FILE, purpose="A model file written by fit or cluster.")
@options.as_json
def inspect(model: str, as_json: bool) -> None:
    """Show what a model knows: its settings, its classes or components, its variables and their values.

    \b
    Example:
      codelength inspect vote.json
    """
    from ..estimators import load

    fitted = load(model)
    if as_json:
        print_json(fitted._summary_document())
    else:
        show(fitted.summary())

"""``codelength inspect``."""

from .choices import FILE
from .command import argument, command
from .options import as_json_option
from .output import print_json, show


@command("Show what a model knows.")
@argument("model", metavar="MODEL", type=FILE, purpose="A model file written by fit or cluster.")
@as_json_option
def inspect(model: str, as_json: bool) -> None:
    """Show what a model knows: its settings, its classes or components, its variables and their values.

    \b
    Example:
      codelength inspect vote.json
    """
    from ..estimators import load

    fitted = load(model)
    if as_json:
        print_json(fitted.summary_document())
    else:
        show(fitted.summary())

"""``codelength completion``."""

import click

from .choices import Choice
from .command import argument, command

COMPLETE_VARIABLE = "_CODELENGTH_COMPLETE"
"""Environment variable by which a shell requests completions."""

SHELL = Choice("shell", "bash", "zsh", "fish")


@command("Print a shell completion script.")
@argument("shell", type=SHELL, purpose="Your shell.")
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
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "codelength", COMPLETE_VARIABLE).source())

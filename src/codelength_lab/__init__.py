"""The laboratory: experiments of the papers and our own, run with the library, and their pages.

An ``Experiment`` makes tasks from settings; ``run`` computes the tasks that a ``Store`` does not have yet; a
table of the results becomes ``Findings``, which ``pages`` and ``figures`` show. Nothing in the library
depends on this package, except for the command that runs it.
"""

from .registry import EXPERIMENTS, PUBLISHED, Reproduction, reproduce

__all__ = ["EXPERIMENTS", "PUBLISHED", "Reproduction", "reproduce"]

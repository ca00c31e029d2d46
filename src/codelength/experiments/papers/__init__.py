"""The experiments of the papers, one file or folder per paper.

A paper is a module with a ``PAPER``, a line here and a file of printed figures in ``published/``.
"""

import difflib
import importlib
from collections.abc import Iterable
from typing import Any

from ...errors import InvalidParameter
from ..findings import Findings
from ..settings import changed, differences
from ..spec import Result, Spec
from .paper import Paper

_MODULES = (
    "predictive_inference",
    "sc_approximations",
    "bayes_optimal_ibl",
    "prequential_selection",
    "indifferent_naive_bayes",
)

PAPERS: dict[str, Paper] = {
    paper.key: paper for paper in (importlib.import_module(f".{name}", __name__).PAPER for name in _MODULES)
}
"""The papers by key, in the order of their years."""

__all__ = ["PAPERS", "Paper", "directory_name", "find", "paper_of", "specify"]


def paper_of(key: str) -> Paper:
    """The paper of a key; near keys are suggested where there is none.

    Examples
    --------
    >>> paper_of("bayes-optimal-ibl").key
    'bayes-optimal-ibl'
    """
    if key not in PAPERS:
        near = difflib.get_close_matches(key, PAPERS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(PAPERS)}"
        raise InvalidParameter(f"there is no paper {key!r}; {hint}")
    return PAPERS[key]


def specify(key: str, *, quick: bool = False, settings: Iterable[str] = (), strict: bool = True) -> Spec[Any]:
    """The specification of a paper's experiments.

    Parameters
    ----------
    key : str
        Key of the paper.
    quick : bool
        Whether to run a few repetitions only.
    settings : iterable of str
        Settings to change, as ``key=value``; see :class:`codelength.experiments.settings.Settings`.
    strict : bool
        Whether to refuse a setting that plays no part in this paper.

    Examples
    --------
    >>> specify("predictive-inference", quick=True).tasks[0].key
    'australian/leave-one-out/0-0'
    """
    paper = paper_of(key)
    settings = list(settings)
    if strict:
        usual = list(paper.tasks(quick, paper.defaults))
        for text in settings:
            alone = changed(paper.defaults, [text])
            if alone != paper.defaults and list(paper.tasks(quick, alone)) == usual:
                raise InvalidParameter(f"setting {text} plays no part in {key}; leave it out")
    chosen = changed(paper.defaults, settings)
    return Spec(key, quick, chosen, tuple(paper.tasks(quick, chosen)))


def directory_name(spec: Spec[Any]) -> str:
    """A name for the results of a specification: that of the paper, and what is unusual about the run.

    Examples
    --------
    >>> directory_name(specify("predictive-inference", quick=True, settings=["bins=4"]))
    'predictive-inference-quick-bins=4'
    """
    unusual = differences(paper_of(spec.paper).defaults, spec.settings)
    return "-".join([spec.paper, *(["quick"] if spec.quick else []), *unusual])


def find(spec: Spec[Any], results: dict[str, Result]) -> Findings:
    """What the results of a specification say beside what its paper prints."""
    return paper_of(spec.paper).find(spec, results)

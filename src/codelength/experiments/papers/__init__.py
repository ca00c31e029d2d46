"""The experiments of the papers, one paper a file or folder."""

import difflib
from collections.abc import Iterable
from typing import Any

from ...errors import InvalidParameter
from ..findings import Findings
from ..published import published
from ..settings import changed, differences
from ..spec import AnyCell, Result, Spec
from .bayes_optimal_ibl import BAYES_OPTIMAL_IBL
from .indifferent_naive_bayes import INDIFFERENT_NAIVE_BAYES
from .paper import Paper
from .predictive_inference import PREDICTIVE_INFERENCE
from .prequential_selection import PREQUENTIAL_SELECTION
from .sc_approximations import SC_APPROXIMATIONS

PAPERS: dict[str, Paper] = {
    paper.key: paper
    for paper in (
        PREDICTIVE_INFERENCE,
        SC_APPROXIMATIONS,
        BAYES_OPTIMAL_IBL,
        PREQUENTIAL_SELECTION,
        INDIFFERENT_NAIVE_BAYES,
    )
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
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(PAPERS)} and all"
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
    >>> specify("predictive-inference", quick=True).cells[0].key
    'australian/leave-one-out/0-0'
    """
    paper = paper_of(key)
    settings = list(settings)
    if strict:
        usual = list(paper.cells(quick, paper.defaults))
        for text in settings:
            alone = changed(paper.defaults, [text])
            if alone != paper.defaults and list(paper.cells(quick, alone)) == usual:
                raise InvalidParameter(f"setting {text} plays no part in {key}; leave it out")
    chosen = changed(paper.defaults, settings)
    return Spec(key, quick, chosen, tuple(paper.cells(quick, chosen)))


def directory_name(spec: Spec[AnyCell]) -> str:
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
    paper, printed = paper_of(spec.paper), published(spec.paper)
    found = paper.find(spec, results)
    return Findings(
        paper=spec.paper,
        title=printed["title"],
        citation=printed["citation"],
        quick=spec.quick,
        settings=spec.settings.to_json(),
        changed=differences(paper.defaults, spec.settings),
        notes=found.notes,
        comparisons=found.comparisons,
        claims=found.claims,
        scores=found.scores,
        versus=found.versus,
        curves=found.curves,
        tables=found.tables,
    )

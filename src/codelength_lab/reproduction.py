"""Reproduction of a paper: from its name to findings."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codelength.evaluation.progress import Progress, check_progress
from codelength.table.checks import check_flag, check_instance, check_names, check_path, check_whole

from .findings import Findings
from .registry import directory_name, find, specify
from .run import Outcome, run
from .spec import Spec


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Result of running the experiments of a paper.

    Attributes
    ----------
    findings : Findings
        Our figures and the printed ones, and verdicts on claims.
        ``codelength_lab.pages`` shows them and writes them to files.
    outcome : Outcome
        Results of the single tasks, and their times.
    directory : Path
        Directory of the results of finished tasks.
    """

    findings: Findings
    outcome: Outcome
    directory: Path


def reproduce(
    paper: str | Spec[Any],
    *,
    quick: bool = False,
    settings: Iterable[str] = (),
    directory: str | os.PathLike[str] = "results",
    jobs: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Run the experiments of a paper and compare our figures with the printed ones.

    Finished tasks are kept on disk: repeat the call to resume an interrupted run.

    Parameters
    ----------
    paper : str or Spec
        Key of the experiment, one of ``codelength_lab.EXPERIMENTS``: the papers', and our own; or a
        specification made beforehand, and then ``quick`` and ``settings`` play no part.
    quick : bool
        If true, run few repetitions, for a first look.
    settings : iterable of str
        Other values of settings that the paper does not state, as ``key=value``; see
        :class:`codelength_lab.settings.Settings`.
    directory : path
        Parent of the directories of results, one per paper and choice of settings.
    jobs : int, optional
        Processes; by default one per processor. The results do not depend on it.
    dask : str, optional
        Address of a Dask scheduler to run on, such as ``"tcp://host:8786"``.
    progress : function, optional
        Called after every task with the work done and the work there is, in the same unit.

    Returns
    -------
    Reproduction

    Raises
    ------
    InvalidParameter
        If there is no such paper or setting, or a setting has no effect on the paper.
    DataError
        If the directory cannot be written, or holds the results of another run.

    Examples
    --------
    >>> import tempfile
    >>> place = tempfile.mkdtemp()
    >>> made = reproduce("bayes-optimal-ibl", quick=True, settings=["repeats=1"], directory=place, jobs=1)
    >>> made.directory.name, len(made.findings.comparisons)
    ('bayes-optimal-ibl-quick-repeats=1', 72)
    """
    check_instance("paper", paper, (str, Spec), "the key of a paper, or a Spec")
    check_flag("quick", quick)
    chosen = check_names("settings", settings, of="texts such as repeats=10")
    if jobs is not None:
        check_whole("jobs", jobs, also=", or None for one per processor")
    check_instance("dask", dask, (str, type(None)), "the address of a scheduler, or None")
    check_progress(progress)
    root = check_path("directory", directory)
    spec = paper if isinstance(paper, Spec) else specify(paper, quick=quick, settings=chosen)
    place = root / directory_name(spec)
    outcome = run(spec, place, jobs=jobs, dask=dask, progress=progress)
    return Reproduction(find(spec, outcome.results), outcome, place)

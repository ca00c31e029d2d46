"""Experiments by name: from the name to the findings."""

import importlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codelength.errors import InvalidParameter
from codelength.evaluation.fits import Progress, check_progress
from codelength.table.checks import check_flag, check_instance, check_names, check_path, check_whole

from .experiment import Experiment, Result, Spec, general_notes
from .findings import Findings
from .published import published
from .run import Outcome, run
from .settings import changed, check_known, differences

_MODULES = (
    "predictive_inference",
    "sc_approximations",
    "bayes_optimal_ibl",
    "prequential_selection",
    "indifferent_naive_bayes",
    "indifferent_trees",
    "evidence_weights",
    "interval_averages",
    "predictive_inference_mixtures",
    "orderings",
    "averages",
)
"""Modules and packages with an ``EXPERIMENT``."""

EXPERIMENTS: dict[str, Experiment] = {
    found.key: found
    for found in (
        importlib.import_module(f".experiments.{name}", __package__).EXPERIMENT for name in _MODULES
    )
}
"""Experiments by key: those that papers report by year, then our own."""

PUBLISHED = [key for key, experiment in EXPERIMENTS.items() if experiment.is_published]
"""Keys of the experiments that papers report."""


def specify(key: str, *, quick: bool = False, settings: Iterable[str] = (), strict: bool = True) -> Spec[Any]:
    """Return the specification of an experiment.

    Settings to change are texts ``key=value``; see :class:`codelength_lab.settings.Settings`. One that has no
    effect on the experiment raises if ``strict`` is true.

    Examples
    --------
    >>> specify("predictive-inference", quick=True).tasks[0].key
    'australian/leave-one-out/0-0'
    """
    check_known("experiment", key, EXPERIMENTS)
    experiment, settings = EXPERIMENTS[key], list(settings)
    if strict:
        # A setting without effect leaves all tasks as they are. Experiments need not declare their settings.
        usual = list(experiment.tasks(quick, experiment.defaults))
        for text in settings:
            alone = changed(experiment.defaults, [text])
            if alone != experiment.defaults and list(experiment.tasks(quick, alone)) == usual:
                raise InvalidParameter(f"setting {text} plays no part in {key}; leave it out")
    chosen = changed(experiment.defaults, settings)
    return Spec(key, quick, chosen, tuple(experiment.tasks(quick, chosen)))


def directory_name(spec: Spec[Any]) -> str:
    """Return a name for the results of a specification: the experiment, and unusual settings of the run.

    Examples
    --------
    >>> directory_name(specify("predictive-inference", quick=True, settings=["bins=4"]))
    'predictive-inference-quick-bins=4'
    """
    unusual = differences(EXPERIMENTS[spec.experiment].defaults, spec.settings)
    return "-".join([spec.experiment, *(["quick"] if spec.quick else []), *unusual])


def find(spec: Spec[Any], results: dict[str, Result]) -> Findings:
    """Return the findings of a specification from its results by the key of the task."""
    experiment, text = EXPERIMENTS[spec.experiment], published(spec.experiment)
    opened = Findings(
        spec.experiment,
        text["title"],
        text["citation"],
        spec.quick,
        spec.settings.to_json(),
        differences(experiment.defaults, spec.settings),
    )
    found = experiment.find(opened, spec, results)
    return replace(found, notes=[*found.notes, *general_notes(spec, experiment.defaults)])


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Result of running an experiment.

    Attributes
    ----------
    findings : Findings
        Our figures and the printed ones, and verdicts on claims.
        ``codelength_lab.pages`` shows them and writes them to files.
    outcome : Outcome
        Results of the single tasks.
    directory : Path
        Directory of the results of finished tasks.
    """

    findings: Findings
    outcome: Outcome
    directory: Path


def reproduce(
    experiment: str | Spec[Any],
    *,
    quick: bool = False,
    settings: Iterable[str] = (),
    directory: str | os.PathLike[str] = "results",
    jobs: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Run an experiment of a paper and compare our figures with the printed ones, or run one of our own.

    Finished tasks are kept on disk: repeat the call to resume an interrupted run.

    Parameters
    ----------
    experiment : str or Spec
        Key of the experiment, one of ``codelength_lab.EXPERIMENTS``; or a specification made beforehand, and
        then ``quick`` and ``settings`` play no part.
    quick : bool
        If true, run few repetitions, for a first look.
    settings : iterable of str
        Other values of settings that the paper does not state, as ``key=value``; see
        :class:`codelength_lab.settings.Settings`.
    directory : path
        Parent of the directories of results, one per experiment and choice of settings.
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
        If there is no such experiment or setting, or a setting has no effect on the experiment.
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
    check_instance("experiment", experiment, (str, Spec), "the key of an experiment, or a Spec")
    check_flag("quick", quick)
    chosen = check_names("settings", settings, of="texts such as repeats=10")
    if jobs is not None:
        check_whole("jobs", jobs, also=", or None for one per processor")
    check_instance("dask", dask, (str, type(None)), "the address of a scheduler, or None")
    check_progress(progress)
    root = check_path("directory", directory)
    spec = experiment if isinstance(experiment, Spec) else specify(experiment, quick=quick, settings=chosen)
    place = root / directory_name(spec)
    outcome = run(spec, place, jobs=jobs, dask=dask, progress=progress)
    return Reproduction(find(spec, outcome.results), outcome, place)

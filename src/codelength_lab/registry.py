"""Experiments by name: those of papers, and our own."""

import difflib
import importlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from codelength.errors import InvalidParameter

from .experiment import Experiment, general_notes
from .findings import Findings
from .published import published
from .settings import changed, differences
from .spec import Result, Spec

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
"""Experiments by key: those of the papers by year, then our own."""


def shown_on(page: str) -> list[str]:
    """Return the keys of the experiments whose results a page of the documentation shows.

    Examples
    --------
    >>> shown_on("further")
    ['indifferent-trees', 'evidence-weights', 'interval-averages']
    """
    return [key for key, experiment in EXPERIMENTS.items() if experiment.page == page]


PAPERS = shown_on("validation")
"""Keys of the experiments that papers report, in the order of their years."""


def experiment_of(key: str) -> Experiment:
    """Return the experiment with a key; the error suggests similar keys if there is none.

    Examples
    --------
    >>> experiment_of("bayes-optimal-ibl").key
    'bayes-optimal-ibl'
    """
    if key not in EXPERIMENTS:
        near = difflib.get_close_matches(key, EXPERIMENTS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(EXPERIMENTS)}"
        raise InvalidParameter(f"there is no experiment {key!r}; {hint}")
    return EXPERIMENTS[key]


def specify(key: str, *, quick: bool = False, settings: Iterable[str] = (), strict: bool = True) -> Spec[Any]:
    """Return the specification of an experiment.

    Settings to change are texts ``key=value``; see :class:`codelength_lab.settings.Settings`. One that has no
    effect on the experiment raises if ``strict`` is true.

    Examples
    --------
    >>> specify("predictive-inference", quick=True).tasks[0].key
    'australian/leave-one-out/0-0'
    """
    experiment = experiment_of(key)
    settings = list(settings)
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
    unusual = differences(experiment_of(spec.experiment).defaults, spec.settings)
    return "-".join([spec.experiment, *(["quick"] if spec.quick else []), *unusual])


def find(spec: Spec[Any], results: dict[str, Result]) -> Findings:
    """Return the findings of a specification from its results by the key of the task."""
    experiment, text = experiment_of(spec.experiment), published(spec.experiment)
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

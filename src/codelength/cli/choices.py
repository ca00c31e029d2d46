"""Values that options accept, with names from the registries.

Order of reading: functions that load names from the registries; then the types that commands use, such as
``RULE`` and ``MODEL``. A new registry takes a function and a line there.

Depends on ``param_types`` and on the registries it names, each imported when it is needed.
"""

from collections.abc import Iterable
from typing import get_args

from .param_types import (
    Choice,
    DatasetName,
    FileName,
    KindOfFile,
    PriorChoice,
    PriorOrModel,
    Setting,
    TableSource,
)


def _rules() -> Iterable[str]:
    from ..naive_bayes import RULES

    return RULES


def _priors() -> Iterable[str]:
    from ..naive_bayes import PRIORS

    return PRIORS


def _models() -> Iterable[str]:
    from ..estimators import MODELS

    # The most useful kinds first: the order is that of the help.
    return dict.fromkeys(["model-average", "naive-bayes", *MODELS])


def _comparable() -> Iterable[str]:
    from ..estimators import MODELS
    from ..evaluation.opponents import OPPONENTS

    # Mixtures without classes cannot be compared with classifiers.
    own = (kind for kind, model in MODELS.items() if "classes" in model.capabilities)
    return [*own, *OPPONENTS]


def _mixture_criteria() -> Iterable[str]:
    from ..mixture.code_length import CRITERIA

    return CRITERIA


def _criteria() -> Iterable[str]:
    from ..mixture.code_length import CRITERIA
    from ..selection.clusterings import SELECTION_CRITERIA

    return [*CRITERIA, *SELECTION_CRITERIA]


def _criteria_on_request() -> Iterable[str]:
    from ..selection.comparison import ON_REQUEST

    return ["all", *ON_REQUEST]


def _interval_kinds() -> Iterable[str]:
    from ..estimators._latent_inference import IntervalKind

    return get_args(IntervalKind)


def _figure_kinds() -> Iterable[str]:
    from ..plot import KINDS

    return KINDS


def _variable_criteria() -> Iterable[str]:
    from ..selection import VARIABLE_CRITERIA

    return VARIABLE_CRITERIA


def _missing() -> Iterable[str]:
    from ..table.infer import Missing

    return get_args(Missing)


def _numeric() -> Iterable[str]:
    from ..table.infer import Numeric

    return get_args(Numeric)


def _identifiers() -> Iterable[str]:
    from ..table.infer import Identifiers

    return get_args(Identifiers)


def _datasets() -> Iterable[str]:
    from ..datasets import names

    return names()


def _experiments() -> Iterable[str]:
    from codelength_lab import EXPERIMENTS

    return [*EXPERIMENTS, "all"]


def _settings() -> Iterable[str]:
    from codelength_lab.settings import ALTERNATIVES

    return ALTERNATIVES


def _dialects() -> Iterable[str]:
    from ..export.sql import DIALECTS

    return DIALECTS


RULE = Choice("rule", _rules)
PRIOR = PriorChoice("prior", _priors)
PRIOR_OR_MODEL = PriorOrModel("prior", _priors)
MODEL = Choice("model", _models)
COMPARABLE = Choice("model", _comparable)
CRITERION = Choice("criterion", _criteria)
MIXTURE_CRITERION = Choice("criterion", _mixture_criteria)
CRITERIA_ON_REQUEST = Choice("criteria", _criteria_on_request)
INTERVAL_KIND = Choice("interval-kind", _interval_kinds)
VARIABLE_CRITERION = Choice("select", _variable_criteria)
MISSING = Choice("missing", _missing)
NUMERIC = Choice("numeric", _numeric)
IDENTIFIERS = Choice("identifiers", _identifiers)
DATASET = DatasetName("name", _datasets)
EXPERIMENT = Choice("experiment", _experiments)
SETTING = Setting("settings", _settings)
DIALECT = Choice("dialect", _dialects)
EXPORT = Choice("to", lambda: ("sql", "onnx", "scorer", "bif", "xmlbif"))
TABLE = TableSource()
FILE = FileName()
FIGURE = KindOfFile("profiles", _figure_kinds)

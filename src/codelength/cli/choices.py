"""Values that options accept, with names from the registries.

A new registry takes a line here: its module in the library, and its name in the module.
"""

from collections.abc import Iterable

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


def _comparable() -> Iterable[str]:
    from ..estimators import capabilities_of, constructor_of, model_names
    from ..evaluation.opponents import OPPONENTS

    # Mixtures without classes cannot be compared with classifiers.
    own = (name for name in model_names() if "classes" in capabilities_of(constructor_of(name)()))
    return [*own, *OPPONENTS]


RULE = Choice("rule", "codelength.naive_bayes:RULES")
PRIOR = PriorChoice("prior", "codelength.naive_bayes:PRIORS")
PRIOR_OR_MODEL = PriorOrModel("prior", "codelength.naive_bayes:PRIORS")
# The most useful kinds first: the order is that of the help.
MODEL = Choice("model", "model-average", "naive-bayes", "codelength.estimators:model_names")
COMPARABLE = Choice("model", _comparable)
MIXTURE_CRITERION = Choice("criterion", "codelength.mixture.code_length:CRITERIA")
CRITERION = Choice(
    "criterion",
    "codelength.mixture.code_length:CRITERIA",
    "codelength.selection.clusterings:SELECTION_CRITERIA",
)
CRITERIA_ON_REQUEST = Choice("criteria", "all", "codelength.selection.comparison:ON_REQUEST")
INTERVAL_KIND = Choice("interval-kind", "codelength.estimators.latent_inference:IntervalKind")
VARIABLE_CRITERION = Choice("select", "codelength.selection:VARIABLE_CRITERIA")
MISSING = Choice("missing", "codelength.table.infer:Missing")
NUMERIC = Choice("numeric", "codelength.table.infer:Numeric")
IDENTIFIERS = Choice("identifiers", "codelength.table.infer:Identifiers")
DATASET = DatasetName("name", "codelength.datasets:names")
EXPERIMENT = Choice("experiment", "codelength_lab:EXPERIMENTS", "all")
SETTING = Setting("settings", "codelength_lab.settings:ALTERNATIVES")
DIALECT = Choice("dialect", "codelength.export.sql:DIALECTS")
EXPORT = Choice("to", "sql", "onnx", "scorer", "bif", "xmlbif")
TABLE = TableSource()
FILE = FileName()
FIGURE = KindOfFile("profiles", "codelength.plot:KINDS")

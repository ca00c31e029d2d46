"""What is not the JSON of an object is refused with one error, whatever it is."""

import pytest

from codelength import NaiveBayes, Prior, Schema, Variable
from codelength.counts import Counts
from codelength.errors import DataError
from codelength.estimators import MODELS
from codelength.mixture.classification import Classification
from codelength.mixture.em import SearchSummary
from codelength.mixture.parameters import MixtureParameters
from codelength.mixture.summaries import DataSummary
from codelength.naive_bayes import NaiveDistribution
from codelength.naive_bayes.naive_distribution import Posterior
from codelength.selection.comparison import Comparison

SCHEMA = Schema.from_sizes([2], n_classes=2)
ODD = [None, 5, "text", b"bytes", [], ["schema"], {}, {"params": 1}, {"rows": 3}, object()]
READERS = {
    "Schema": Schema.from_json,
    "Variable": Variable.from_json,
    "Counts": lambda document: Counts.from_json(document, SCHEMA),
    "Prior": Prior.from_json,
    "NaiveDistribution": NaiveDistribution.from_json,
    "Posterior": Posterior.from_json,
    "Comparison": Comparison.from_json,
    "SearchSummary": SearchSummary.from_json,
    "DataSummary": DataSummary.from_json,
    "Classification": lambda document: Classification.from_json(document, [0.5, 0.5]),
    "MixtureParameters": lambda document: MixtureParameters.from_json(document, SCHEMA),
    **{kind: model._from_document for kind, model in MODELS.items()},
}


@pytest.mark.parametrize("document", ODD, ids=lambda odd: f"{type(odd).__name__}-{ODD.index(odd)}")
@pytest.mark.parametrize("name", READERS)
def test_what_is_not_a_document_is_refused(name, document):
    with pytest.raises(DataError, match=r"not .* as JSON \(\w+Error: .*\); pass what to_\w+ gave"):
        READERS[name](document)


def test_the_document_of_another_model_is_refused():
    document = NaiveBayes().fit({"x": ["a", "b"]}, ["k", "l"])._fitted.to_document()
    with pytest.raises(DataError, match="not a model as JSON"):
        MODELS["finite-mixture"]._from_document(document)

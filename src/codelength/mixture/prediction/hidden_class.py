"""The class predicted with its cluster hidden: all clusterings count, not the one that was chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...naive_bayes import Distributions, PriorLike, normalised, rule_of
from ...naive_bayes.query import Answer, Question
from ...table import Coded, Schema
from ...table.checks import check_whole
from ...table.coded import unchecked
from ...typing import IntArray
from ..clusterings import clustering_counts
from ..em import em
from ..parameters import MixtureParameters, posterior_mode, with_components
from .predict import Learned, MixtureRule, packed_rows, predict, restored_rows

MAX_ITER, TOL = 1000, 1e-9
"""When EM ends: iterations, and nats per row."""


@dataclass(frozen=True, eq=False)
class HiddenClusters:
    """A mixture over features and class, the rows it was learned from, and the rule that predicts.

    Attributes
    ----------
    learned : Learned
        The rows, whose last column is the class, and the mixture that EM found from a clustering of them.
    rule : str
        How the class is predicted.
    seed : int
        Seed of the chains.
    """

    learned: Learned
    rule: MixtureRule
    seed: int

    @classmethod
    def of(cls, training: Coded, labels: IntArray, rule: MixtureRule, prior: PriorLike, seed: int) -> Self:
        """Fit the mixture that EM finds from a clustering, with as many components."""
        rows = with_components(training, int(labels.max(initial=0)) + 1)
        # The other rules need no mode: the evidence averages, and stochastic complexity has no prior.
        own = prior if rule_of(rule).settles else "uniform"
        start = posterior_mode(clustering_counts(rows, labels), own)
        mixture, _ = em(rows, start, own, max_iter=MAX_ITER, tol=TOL)
        return cls(Learned(training, mixture, prior), rule, seed)

    def log_probs(self, coded: Coded) -> Distributions:
        """Compute the log probability of each class for rows without their classes."""
        wide = self.learned.rows.schema.without_target()
        rows = with_classes(coded, wide, np.full(coded.n_rows, -1))
        answer = self.answered(Question.of(wide, wide.names[-1]), rows)
        with np.errstate(divide="ignore"):
            return Distributions(normalised(np.log(answer.probs)).log_probs, answer.undefined)

    def answered(self, question: Question, rows: Coded) -> Answer:
        """Answer a question about rows whose last column is the class."""
        return predict(self.learned, question, rows, self.rule, random_state=self.seed)

    def to_json(self) -> dict[str, Any]:
        """Return the mixture and its rows as JSON types."""
        learned = self.learned
        return {"rows": packed_rows(learned.rows), "mixture": learned.mixture.to_json(), "seed": self.seed}

    @classmethod
    def from_json(
        cls, document: Mapping[str, Any], schema: Schema, rule: MixtureRule, prior: PriorLike
    ) -> Self:
        """Restore what :meth:`to_json` wrote; the last variable of the schema is the class."""
        mixture = MixtureParameters.from_json(document["mixture"], schema)
        learned = Learned(restored_rows(document["rows"], schema), mixture, prior)
        return cls(learned, rule, check_whole("seed", document["seed"], 0))


def with_classes(coded: Coded, wide: Schema, classes: IntArray) -> Coded:
    """Return rows with the class as last column, missing if its code is -1."""
    codes = np.empty((coded.n_rows, wide.n_variables), dtype=wide.code_type, order="F")
    codes[:, :-1], codes[:, -1] = coded.codes, np.where(classes < 0, wide.n_values[-1], classes)
    return unchecked(wide, codes, np.zeros(coded.n_rows, dtype=np.uint8))

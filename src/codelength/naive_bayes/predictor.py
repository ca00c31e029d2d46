"""Counts, a rule and a prior: all that there is to predict with."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..counts import Counts
from ..errors import DataError
from ..table import Coded
from ..table.checks import check_choice
from ..typing import FloatArray
from ._left_out import own_scores
from .dirichlet import dirichlet_log_evidence
from .explanation import Explanation, log_odds_against
from .log_tables import LogTables, log_tables
from .priors import PriorLike, Pseudocounts, pseudocounts
from .rules.rule import Offsets, Rule
from .scoring import Distributions, Scorer, normalised


@dataclass(frozen=True, eq=False)
class Predictor:
    """What a rule makes of some counts under a prior.

    Made by :meth:`of`. Predictions are sums of look-ups in :attr:`tables`, which are computed once.

    Attributes
    ----------
    counts : Counts
        The rows to predict from.
    rule : Rule
        How counts become predictions.
    prior : Pseudocounts
        The prior that the rule uses, spelled out.
    offsets : Offsets
        What the rule adds to the counts.
    """

    counts: Counts
    rule: Rule
    prior: Pseudocounts
    offsets: Offsets

    @classmethod
    def of(cls, counts: Counts, rule: "str | Rule" = "evidence", prior: PriorLike = "uniform") -> "Predictor":
        """The predictor of some counts.

        Parameters
        ----------
        counts : Counts
            The rows to predict from.
        rule : str or Rule
            One of ``codelength.naive_bayes.RULES``.
        prior : prior or its name
            The prior; rules that need none pass it over.

        Examples
        --------
        >>> from codelength.counts import count
        >>> from codelength.table import Schema
        >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [1]], [0, 0, 1])
        >>> np.exp(Predictor.of(count(coded)).log_probs(coded).log_probs).round(3)
        array([[0.692, 0.308],
               [0.529, 0.471],
               [0.529, 0.471]])
        """
        chosen = rule_of(rule)
        spelled = pseudocounts(chosen.prior(prior), counts.schema)
        return cls(counts, chosen, spelled, chosen.offsets(spelled, counts.schema))

    @cached_property
    def tables(self) -> LogTables:
        """The log tables; refused where the rule has no prediction under this prior."""
        return log_tables(self.counts, self.rule, self.offsets)

    @cached_property
    def scorer(self) -> Scorer:
        """The log tables laid out for many rows."""
        return Scorer.of(self.counts.schema, self.tables)

    def log_probs(self, coded: Coded, n_threads: int | None = None) -> Distributions:
        """Log probability of each class for each row, in nats."""
        return self.scorer.log_probs(coded, n_threads)

    def log_weights(self, coded: Coded, n_threads: int | None = None) -> FloatArray:
        """Log weight of each row together with each class, in nats, shape (n_rows, n_classes)."""
        return self.scorer.log_weights(coded, n_threads)

    def leave_one_out(self, coded: Coded) -> Distributions:
        """Log probability of each class for each row, predicted from all the other rows, in closed form.

        Parameters
        ----------
        coded : Coded
            The rows to predict, each of which was counted with the weight it has here. Of a weighted row one
            copy is left out; see :mod:`codelength.table.copies`.
        """
        log_weights = self._left_out_weights(coded)
        impossible = np.isnan(log_weights).any(axis=1)
        if impossible.any():
            row = int(np.argmax(impossible))
            raise DataError(
                f"row {row}: it is not among the rows that were counted, so it cannot be left out; pass the "
                "rows (and weights) the model was fitted on"
            )
        return normalised(log_weights)

    def _left_out_weights(self, coded: Coded) -> FloatArray:
        """Log weight of each class for each row, up to a constant; NaN where the row cannot be taken off."""
        # The constant is the same for every class, and without it the differences keep more digits.
        scorer = replace(self.scorer, constant=0.0)
        log_weights = scorer.log_weights(coded)
        own = own_scores(self.counts, coded, self.rule, self.offsets, scorer.groups)
        log_weights[np.arange(coded.n_rows), np.asarray(coded.class_codes, dtype=np.int64)] = own
        return log_weights

    def explain(self, coded: Coded, reference: int = 0) -> Explanation:
        """What each variable contributes to the log-odds of each class against a reference class."""
        schema = self.counts.schema
        cells = coded.codes.astype(np.int64) + schema.offsets[:-1]
        return Explanation(
            schema.names,
            schema.classes,
            schema.classes[reference],
            log_odds_against(self.tables.class_table, reference),
            log_odds_against(self.tables.value_table.T[cells], reference),
        )

    def evidence_code_length(self, *, given_classes: bool = False) -> float:
        r"""Minus the log evidence of the counted rows under the prior, in nats.

        .. math:: -\log P(D) = -\log \int P(D \mid \Theta) P(\Theta)\, d\Theta

        Closed form: equation (8) of [1]_. Adding rows one at a time and predicting each from the rows before
        it by the evidence rule costs exactly this much, in any order. Missing cells cost nothing: they are
        marginalised. With ``given_classes`` the cost of the values given the classes alone.

        References
        ----------
        .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.
        """
        length = 0.0
        if not given_classes:
            length -= float(dirichlet_log_evidence(self.counts.class_counts, self.prior.class_pseudocounts))
        return length - sum(self._log_evidence_of(i) for i in range(self.counts.schema.n_variables))

    def _log_evidence_of(self, variable: int) -> float:
        """Log evidence of the values of one variable given the classes."""
        start, stop = self.counts.schema.offsets[variable], self.counts.schema.offsets[variable + 1] - 1
        of_values = self.prior.value_pseudocounts[:, start:stop]
        return float(dirichlet_log_evidence(self.counts.of(variable), of_values).sum())


def rule_of(rule: "str | Rule") -> Rule:
    """The rule of a name; a rule is its own."""
    from . import RULES

    if isinstance(rule, Rule):
        return rule
    check_choice("rule", rule, RULES)
    return RULES[rule]

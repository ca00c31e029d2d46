"""What naive Bayes learned: counts, and the variables that predict."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .._display import nats_and_bits
from ..counts import Counts
from ..errors import DataError, InvalidParameter, SchemaMismatch
from ..naive_bayes import Predictor, rule_of
from ..naive_bayes.answer import Answer
from ..naive_bayes.interval_average import IntervalAverage
from ..naive_bayes.query import Question, answer_by_tables, with_known_classes
from ..scores import Predictions, leave_one_out, rule_code_length
from ..scores.nml import why_not_described
from ..table import Coded
from ..table._messages import listed, shown
from ..table.checks import check_whole_weights
from ..table.coded import changed
from ..typing import IntArray
from ._one_row import OneRow
from .contract import Fitted

if TYPE_CHECKING:
    from ..selection import SelectionResult

N_FOLDS = 10
"""Folds without which variables are chosen again for honest leave-one-out."""

CAP = 100.0
"""The most that one row can cost while variables are chosen, in nats, where a rule gives probability zero."""


@dataclass(frozen=True, eq=False)
class FittedNaiveBayes(Fitted):
    """Counts, and the variables that predict.

    Attributes
    ----------
    counts : Counts
        How often each value was seen in each class; all that the model knows.
    weighted : bool
        Whether rows were counted with weights.
    unit : float
        Weight that counted as one row: the mean weight of relative weights, and 1 otherwise.
    selection : SelectionResult, optional
        How the variables were chosen, where they were.
    chosen : tuple of int, optional
        Positions of the variables that predict; None for all.
    told : frozenset of str
        Columns of which it was said that they hold values that the schema does not list.
    """

    counts: Counts
    weighted: bool = False
    unit: float = 1.0
    selection: "SelectionResult | None" = None
    chosen: tuple[int, ...] | None = None
    told: frozenset[str] = frozenset()

    @cached_property
    def predictor(self) -> Predictor:
        """What predicts."""
        counts = self.counts if self.chosen is None else self.counts.select(self.chosen)
        kind = IntervalAverage if self.params["numeric"] == "average" else Predictor
        return kind.of(counts, self.params["rule"], self.params["prior"])

    @cached_property
    def one_row(self) -> OneRow:
        """What predicts single rows."""
        return OneRow(
            self.schema,
            self.predictor,
            tuple(range(self.schema.n_variables)) if self.chosen is None else self.chosen,
            refuse_values=self.params["handle_unknown"] == "error",
            refuse_names=self.params["strict"],
        )

    @cached_property
    def code_length(self) -> float:
        """Code length of the counted rows by the code of the rule, in nats."""
        return rule_code_length(self.predictor)

    @cached_property
    def evidence_code_length(self) -> float:
        """Minus the log evidence of the counted rows, in nats."""
        return self.predictor.evidence_code_length()

    @property
    def why_no_code(self) -> str | None:
        """Why the rule has no code for the counted rows, in a few words; None where it has one."""
        if self.predictor.rule.averages:
            return None
        return why_not_described(self.predictor.counts) if self.predictor.rule.maximises else "one model"

    def code_lengths_told(self) -> list[tuple[str, str]]:
        """The code lengths there are, for people to read."""
        rule = self.predictor.rule
        if rule.averages:
            return [("code length", nats_and_bits(self.code_length))]
        evidence = ("evidence code length", nats_and_bits(self.evidence_code_length))
        if not rule.maximises:
            return [evidence]
        reason = self.why_no_code
        own = nats_and_bits(self.code_length) if reason is None else f"not defined: {reason}"
        return [("code length", own), evidence]

    def predicting(self, coded: Coded) -> Coded:
        """Coded rows with the variables that predict."""
        return coded if self.chosen is None else coded.select(self.chosen)

    def answered(self, question: Question, coded: Coded, classes: IntArray) -> Answer:
        """The answer to a question about several variables, where some classes may be known."""
        predictor = self.predictor
        schema = predictor.counts.schema
        for name, i in zip(question.names, question.positions, strict=True):
            if i < self.schema.n_variables and name not in schema.names:
                raise InvalidParameter(
                    f"variables: {shown(name)} was not chosen by select=, so the model does not say how it "
                    f"varies; ask about {listed(schema.names)}, or fit without select="
                )
        log_weights = replace(predictor.scorer, constant=0.0).log_weights(self.predicting(coded))
        own = Question.of(schema, question.names)
        known = with_known_classes(log_weights, classes)
        return answer_by_tables(own, schema, known, predictor.tables.value_table)

    def check_weighted(self, weighted: bool) -> None:
        """Refuse to leave rows out with other weights than they were counted with."""
        if weighted != self.weighted:
            word = "with" if self.weighted else "without"
            raise DataError(f"the model was fitted {word} sample_weight; leave one out with the same weights")

    def in_rows(self, coded: Coded) -> Coded:
        """A part of the training rows with their weights as they were counted, whatever the part is."""
        return coded if coded.weights is None else changed(coded, weights=coded.weights / self.unit)

    def left_out(self, coded: Coded, *, optimistic: bool) -> Predictions:
        """Each row predicted from all the others."""
        if self.chosen is not None and not optimistic:
            return self._left_out_after_choosing(coded)
        made = leave_one_out(self.predictor, self.predicting(coded))
        return replace(made, optimistic=self.chosen is not None)

    def merged(self, other: "FittedNaiveBayes") -> "FittedNaiveBayes":
        """What the rows of both would have left behind, under these parameters."""
        if self.chosen != other.chosen:
            raise SchemaMismatch(
                "the models chose different variables to predict from; fit them without select="
            )
        weighted = self.weighted or other.weighted
        if weighted and "relative" in (self.params["weighting"], other.params["weighting"]):
            raise InvalidParameter(
                'weighting="relative": the weights of different batches cannot be compared; fit all rows at '
                'once, or pass weighting="counts"'
            )
        return replace(
            self, counts=other.counts.merge(self.counts), weighted=weighted, told=self.told | other.told
        )

    def _left_out_after_choosing(self, coded: Coded) -> Predictions:
        """Each row predicted from all the others, with variables chosen without the rows of its fold.

        Folds are made of distinct rows, of each of which one copy is left out: then a row of weight 2 is the
        row twice, and the order of the rows plays no part in the folds.
        """
        made = leave_one_out(self.predictor, self.predicting(coded))  # stands for rows without weight
        weights = np.ones(coded.n_rows) if coded.weights is None else coded.weights
        counted = np.flatnonzero(weights > 0)
        first, places = coded.take(counted).groups()
        order = np.random.default_rng(0).permutation(len(first))
        for fold in np.array_split(order, max(min(N_FOLDS, len(first)), 1)):
            fewer = weights.copy()
            fewer[counted[first[fold]]] -= 1.0
            selection = chosen_variables(self.params, changed(coded, weights=fewer))
            chosen = () if selection is None else selection.selected
            predictor = Predictor.of(self.counts.select(chosen), self.params["rule"], self.params["prior"])
            own = counted[np.isin(places, fold)]
            made.log_probs[own], made.undefined[own] = predictor.leave_one_out(coded.take(own).select(chosen))
        return made


def chosen_variables(params: Mapping[str, Any], coded: Coded) -> "SelectionResult | None":
    """The variables chosen on some rows under the parameters of a model; None where all are to predict."""
    if params["select"] is None:
        return None
    check_whole_weights(coded.weights, "select=")
    # Without a cap, one class of probability zero would make all sets of variables alike.
    cap = CAP if rule_of(params["rule"]).gives_zero else None
    from ..selection import select_variables

    return select_variables(
        coded.repeated(), params["select"], rule=params["rule"], prior=params["prior"], cap=cap
    )

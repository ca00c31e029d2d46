"""Fitted naive Bayes: counts, and the variables that predict.

Order of reading: :class:`FittedNaiveBayes`: learning from rows, counts or streams, code lengths, predictions,
exports, queries, leave-one-out, findings, files; then :func:`known_prior`. Depends on
:mod:`codelength.naive_bayes`, :mod:`codelength.counts` and :mod:`codelength.scores`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from .._display import nats_and_bits
from ..blocks import Block
from ..counts import Counts, count
from ..errors import DataError, InvalidParameter, SchemaMismatch, UndefinedPrediction
from ..naive_bayes import (
    Distributions,
    Explanation,
    Posterior,
    Predictor,
    PriorLike,
    as_knowledge,
    bound_prior,
    rule_of,
)
from ..naive_bayes.interval_average import IntervalAverage
from ..naive_bayes.query import Answer, Known, Question, answer_by_tables, with_known_classes
from ..naive_bayes.rules import DEFAULT_RULE
from ..naive_bayes.scoring import OneRow
from ..scores import Predictions, leave_one_out, rule_code_length
from ..scores.nml import why_not_described
from ..table import Coded, Schema
from ..table._messages import listed, shown, tell
from ..table.checks import check_number
from ..table.coded import changed
from ..table.cutting import AVERAGED
from ..typing import FloatArray
from ._fitted import Fitted, scaled
from .base import TableEstimator
from .reading import Reading, check_classes

if TYPE_CHECKING:
    from ..networks.look_ups import LookUps
    from ..networks.network import Network
    from ..selection import SelectionResult


@dataclass(frozen=True, eq=False)
class FittedNaiveBayes(Fitted):
    """Counts, and the variables that predict.

    Attributes
    ----------
    counts : Counts
        Number of times that each value was seen in each class; all that the model knows.
    weighted : bool
        True if rows were counted with weights.
    unit : float
        Weight that counted as one row: the mean weight of relative weights, and 1 otherwise.
    selection : SelectionResult, optional
        The search for variables, if they were chosen.
    chosen : tuple of int, optional
        Positions of the variables that predict; None for all.
    told : frozenset of str
        Columns for which a warning about values outside the schema was given; later batches do not repeat it.
    """

    counts: Counts
    weighted: bool = False
    unit: float = 1.0
    selection: "SelectionResult | None" = None
    chosen: tuple[int, ...] | None = None
    told: frozenset[str] = frozenset()

    kind = "naive-bayes"
    averages_intervals = True

    @classmethod
    def title(cls, params: Mapping[str, Any]) -> str:
        return cls.kind if params["rule"] == DEFAULT_RULE else f"{cls.kind} {params['rule']}"

    @classmethod
    def reading(cls, params: Mapping[str, Any]) -> Reading:
        knowledge, schema = as_knowledge(known_prior(params["prior"])), params["schema"]
        # Knowledge from earlier cases has a schema, which applies unless another is given.
        if schema is None and knowledge is not None:
            schema = knowledge.schema
        return Reading(params, schema, AVERAGED if params["numeric"] == "average" else None)

    @classmethod
    def learn(cls, params: dict[str, Any], coded: Coded, named: bool) -> Self:
        rows = scaled(params, coded)
        # A prior that is a model is replaced by its posterior: its next fit must not change this model.
        params = params | {"prior": bound_prior(known_prior(params["prior"]), rows.schema)}
        selection = None
        if params["select"] is not None:
            from ..selection.before_naive_bayes import chosen_variables

            selection = chosen_variables(params, rows)
        learned = cls(
            params,
            coded.schema,
            named,
            counts=count(rows),
            weighted=coded.weights is not None,
            unit=coded.mean_weight if params["weighting"] == "relative" else 1.0,
            selection=selection,
            chosen=None if selection is None else selection.selected,
            told=frozenset(coded.unseen),
        )
        learned.predictor.scorer  # noqa: B018 (a prior under which there is no prediction is refused here)
        return learned

    @classmethod
    def described(cls, params: dict[str, Any], coded: Coded) -> Self:
        """Return the model of whole rows for :class:`codelength.EvidenceAverage`."""
        return cls.learn(params, coded, True)

    @classmethod
    def check_describes(cls, params: Mapping[str, Any]) -> None:
        """Raise InvalidParameter unless the model describes whole rows by its evidence."""
        if not rule_of(params["rule"]).averages:
            raise InvalidParameter(
                f'models: NaiveBayes(rule="{params["rule"]}") has no evidence; pass rule="evidence" or '
                '"indifferent"'
            )
        if params["select"] is not None:
            raise InvalidParameter(
                f'models: NaiveBayes(select="{params["select"]}") leaves variables undescribed; name them '
                "with OnVariables"
            )

    @classmethod
    def spec(cls, params: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
        # A prior may be a model, which has no JSON type; its knowledge has one.
        return super().spec({**params, "prior": bound_prior(known_prior(params["prior"]), schema)}, schema)

    @classmethod
    def of_counts(cls, params: dict[str, Any], counts: Counts, *, weighted: bool) -> Self:
        """Return the model of counts that were made elsewhere; ``weighted`` if from rows with weights."""
        from ._batches import check_countable

        check_countable(params, None)
        check_classes(counts.schema)
        params = params | {"prior": bound_prior(known_prior(params["prior"]), counts.schema)}
        learned = cls(params, counts.schema, True, counts=counts, weighted=weighted)
        learned.predictor.scorer  # noqa: B018 (as above)
        return learned

    @classmethod
    def streamed(
        cls,
        params: dict[str, Any],
        source: Any,
        target: str | None,
        keep: Sequence[str] | None,
        **read: Any,
    ) -> Self:
        """Learn from a table of any size; ``read`` are further options of :func:`learn_counts`."""
        from ._batches import check_countable, counted_table

        check_countable(params, read["weights"])
        counts = counted_table(cls.reading(params), source, target, keep, **read)
        return cls.of_counts(params, counts, weighted=read["weights"] is not None)

    @cached_property
    def predictor(self) -> Predictor:
        """The predictor, on the variables that predict."""
        counts = self.counts if self.chosen is None else self.counts.select(self.chosen)
        kind = IntervalAverage if self.params["numeric"] == "average" else Predictor
        return kind.of(counts, self.params["rule"], self.params["prior"])

    @cached_property
    def one_row(self) -> OneRow:
        """The predictor of single rows."""
        return OneRow(
            self.schema,
            self.predictor.scorer,
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
        """Reason why the rule has no code for the counted rows, in a few words; None if it has one."""
        if self.predictor.rule.averages:
            return None
        return why_not_described(self.predictor.counts) if self.predictor.rule.maximises else "one model"

    def _code_length_facts(self) -> list[tuple[str, str]]:
        """Return the code lengths that are defined, as labels and texts."""
        rule = self.predictor.rule
        if rule.averages:
            return [("code length", nats_and_bits(self.code_length))]
        evidence = ("evidence code length", nats_and_bits(self.evidence_code_length))
        if not rule.maximises:
            return [evidence]
        reason = self.why_no_code
        own = nats_and_bits(self.code_length) if reason is None else f"not defined: {reason}"
        return [("code length", own), evidence]

    @property
    def posterior(self) -> Posterior:
        """Prior for another model: the prior of this one and the rows that it has counted."""
        if self.params["numeric"] == "average":
            raise InvalidParameter(
                'prior: a model with numeric="average" weighs partitions too, and cannot be the prior of '
                'another; fit it with numeric="discretize"'
            )
        return Posterior.of(Predictor.of(self.counts, self.params["rule"], self.params["prior"]))

    def log_probs(self, coded: Coded) -> Distributions:
        return self.predictor.log_probs(self.predicting(coded))

    def log_joint(self, coded: Coded) -> FloatArray:
        """Return the log weight of coded rows together with each class, in nats."""
        return self.predictor.log_weights(self.predicting(coded))

    def explain(self, coded: Coded, reference: int) -> Explanation:
        """Return the contribution of each variable to the log-odds against a class."""
        return self.predictor.explain(self.predicting(coded), reference).among(self.schema.names)

    def look_ups(self) -> "LookUps":
        """Return the look-up tables for other programs."""
        from ..networks.look_ups import LookUps

        return LookUps.of(self.predictor)

    def network(self) -> "Network":
        """Return the Bayesian network."""
        from ..networks.network import Network

        return Network.of(self.look_ups())

    def tell_undefined(self, n_undefined: int, n_rows: int) -> None:
        tell(
            f"{n_undefined} of {n_rows} rows: every class has weight zero under "
            f'rule="{self.params["rule"]}" (0/0); the uniform distribution stands in, '
            "is_undefined(X) tells where",
            UndefinedPrediction,
        )

    def predicting(self, coded: Coded) -> Coded:
        """Return coded rows with the variables that predict."""
        return coded if self.chosen is None else coded.select(self.chosen)

    def answer(self, question: Question, known: Known) -> Answer:
        """Answer a question about several variables."""
        predictor = self.predictor
        schema = predictor.counts.schema
        for name, i in zip(question.names, question.positions, strict=True):
            if i < self.schema.n_variables and name not in schema.names:
                raise InvalidParameter(
                    f"variables: {shown(name)} was not chosen by select=, so the model does not say how it "
                    f"varies; ask about {listed(schema.names)}, or fit without select="
                )
        # Without the constant, which is the same for all classes and cancels in a conditional distribution.
        log_weights = replace(predictor.scorer, constant=0.0).log_weights(self.predicting(known.coded))
        own = Question.of(schema, question.names)
        log_weights = with_known_classes(log_weights, known.classes)
        return answer_by_tables(own, schema, log_weights, predictor.tables.value_table)

    def check_weighted(self, weighted: bool) -> None:
        """Raise DataError if rows were counted with weights and are left out without, or the reverse."""
        if weighted != self.weighted:
            word = "with" if self.weighted else "without"
            raise DataError(f"the model was fitted {word} sample_weight; leave one out with the same weights")

    def left_out(self, coded: Coded, *, optimistic: bool = False) -> Predictions:
        """Predict each training row from all the others; ``optimistic`` keeps the variables chosen on all."""
        return self._left_out(scaled(self.params, coded), optimistic=optimistic)

    def left_out_of_batch(self, coded: Coded) -> Predictions:
        """Predict each training row of a batch from all the others, those of other batches included."""
        # Divided by the unit of the fit: the mean weight of a batch is not that of all rows.
        rows = coded if coded.weights is None else changed(coded, weights=coded.weights / self.unit)
        return self._left_out(rows, optimistic=False)

    def check_left_out(self, *, weighted: bool) -> None:
        self.check_weighted(weighted)
        if self.chosen is not None:
            raise InvalidParameter(
                "leave_one_out=True: the variables were chosen on these rows, and choosing them again takes "
                "all rows in memory; call leave_one_out(X, y), or score rows that the model has not seen"
            )

    def _left_out(self, coded: Coded, *, optimistic: bool) -> Predictions:
        made = leave_one_out(self.predictor, self.predicting(coded))
        if self.chosen is not None and not optimistic:
            from ..selection.before_naive_bayes import left_out_after_choosing

            return left_out_after_choosing(coded, made, self.counts, self.params)
        return replace(made, optimistic=self.chosen is not None)

    def merged(self, other: "FittedNaiveBayes") -> "FittedNaiveBayes":
        """Return the model of the rows of both, under these parameters."""
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
        # The earlier counts first: sums of floats are then added in the order of the batches.
        return replace(
            self, counts=other.counts.merge(self.counts), weighted=weighted, told=self.told | other.told
        )

    def settings(self) -> dict[str, Any]:
        knowledge = as_knowledge(self.params["prior"])
        return super().settings() | ({} if knowledge is None else {"prior": repr(knowledge)})

    @property
    def _predicting_names(self) -> list[str] | None:
        return None if self.chosen is None else [self.schema.names[i] for i in self.chosen]

    def findings(self) -> list[Block]:
        facts, names = self._code_length_facts(), self._predicting_names
        if names is not None:
            facts.append((f"predict, {len(names)} of {self.schema.n_variables}", ", ".join(names) or "none"))
        return self.row_blocks(self.counts.class_counts, *facts)

    def findings_document(self) -> dict[str, Any]:
        return {
            "rows": self.counts.n_rows,
            "code_length_nats": self.code_length if self.why_no_code is None else None,
            "evidence_code_length_nats": self.evidence_code_length,
            "class_counts": self.counts.class_counts.tolist(),
            "predicting": self._predicting_names,
        }

    def content(self) -> dict[str, Any]:
        return {
            "counts": self.counts.to_json(),
            "weighted": self.weighted,
            "unit": self.unit,
            "chosen": None if self.chosen is None else list(self.chosen),
        }

    @classmethod
    def restored(cls, content: Mapping[str, Any], **known: Any) -> Self:
        schema, chosen = known["schema"], content["chosen"]
        if chosen is not None and not set(chosen) <= set(range(schema.n_variables)):
            raise DataError(f"the variables chosen, {chosen!r:.60}, are not positions of variables")
        learned = cls(
            **known,
            counts=Counts.from_json(content["counts"], schema),
            weighted=bool(content["weighted"]),
            unit=check_number("unit", content.get("unit", 1.0), 0.0, above=True),
            chosen=None if chosen is None else tuple(map(int, chosen)),
        )
        learned.predictor.scorer  # noqa: B018
        return learned


def known_prior(prior: Any) -> PriorLike:
    """Return a prior; a fitted naive Bayes gives its posterior."""
    if not isinstance(prior, TableEstimator) or not issubclass(prior._fitted_type, FittedNaiveBayes):
        found: PriorLike = prior
        return found
    if not prior.__sklearn_is_fitted__():
        raise InvalidParameter("prior: the model knows nothing, because it is not fitted yet; fit it first")
    learned: FittedNaiveBayes = prior._fitted
    return learned.posterior

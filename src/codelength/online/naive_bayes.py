"""Naive Bayes that learns, forgets and predicts one row at a time.

Order of reading: :class:`OnlineNaiveBayes`: ``learn_one``, ``unlearn_one``, ``predict_proba_one`` and
``score_one``, then the properties that sum up the stream, then files.

Depends on ``fixed`` or ``growing`` (mutable counts under a schema, or with domains that grow) and ``saved``
(JSON files).
"""

import math
import os
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from .._display import Shown, counted, nats_and_bits
from ..blocks import Block, Facts
from ..counts import Counts
from ..decisions import TOLERANCE
from ..errors import DataError, InvalidParameter
from ..estimators import NaiveBayes, documents
from ..naive_bayes import Predictor, PriorLike, rule_of
from ..table import Schema
from ..table.checks import check_choice, check_instance, check_number, check_size
from ..table.encode import HandleUnknown
from ..typing import FloatArray, Scalar
from .fixed import FixedCounts, Located
from .growing import GrowingCounts, check_growing

Domains = Literal["fixed", "growing"]

MAX_WEIGHT = 1e100
"""Weights of rows grow as older rows are forgotten; beyond this weight all counts are rescaled."""

MIN_HALF_LIFE = 0.001
"""Smallest half-life: the weight grows by ``2 ** (1 / half_life)`` per row, which must be finite."""


class OnlineNaiveBayes(Shown):
    """Naive Bayes on a stream, with mutable counts.

    Predictions are those of :class:`codelength.NaiveBayes` fitted to the same rows, under any rule. A row is
    a mapping of names to cells. Absent and missing cells are ignored. All methods may be called from several
    threads.

    Parameters
    ----------
    schema : Schema, optional
        The variables, their values and the classes. Optional if domains grow: then every name in a row is a
        variable.
    rule, prior
        As in :class:`codelength.NaiveBayes`. Growing domains need the rule ``"evidence"`` and the same
        pseudocount for all values: ``"uniform"``, or a ``Prior`` of two numbers.
    domains : {"fixed", "growing"}
        ``"fixed"``: the schema lists all values and classes. ``"growing"``: new ones may occur. Every class
        then has some probability for new values, such that all probabilities add up to one; the page about
        streams derives it.
    half_life : float, optional
        Number of rows after which a row counts half; at least 0.001. By default rows are not forgotten.
    window : int, optional
        Number of last rows that count; older ones are forgotten. By default all rows count.
    handle_unknown : {"ignore", "error"}
        Ignore values that a fixed schema does not list, or raise an error.

    Attributes
    ----------
    n_scored : int
        Number of rows that were predicted before they were learned.
    code_length : float
        Code length of the classes of these rows, each predicted from the rows before it, in nats.

    Examples
    --------
    >>> from codelength import Schema, Variable
    >>> schema = Schema([Variable("outlook", ("rain", "sun"))], Variable("play", ("no", "yes")))
    >>> model = OnlineNaiveBayes(schema)
    >>> for outlook, play in [("sun", "yes"), ("rain", "no"), ("sun", "yes")]:
    ...     _ = model.learn_one({"outlook": outlook}, play)
    >>> {play: round(p, 3) for play, p in model.predict_proba_one({"outlook": "sun"}).items()}
    {'no': 0.229, 'yes': 0.771}

    With growing domains, a schema is not needed:

    >>> model = OnlineNaiveBayes(domains="growing")
    >>> for outlook, play in [("sun", "yes"), ("rain", "no"), ("sun", "yes")]:
    ...     _ = model.score_one({"outlook": outlook}, play)
    >>> round(model.new_class_proba_one({"outlook": "snow"}), 3)
    0.292
    """

    def __init__(
        self,
        schema: Schema | None = None,
        *,
        rule: str = "evidence",
        prior: PriorLike = "uniform",
        domains: Domains = "fixed",
        half_life: float | None = None,
        window: int | None = None,
        handle_unknown: HandleUnknown = "ignore",
    ) -> None:
        check_choice("domains", domains, Domains)
        check_choice("handle_unknown", handle_unknown, HandleUnknown)
        # A fixed domain needs a schema with classes; a growing one accepts none.
        if schema is not None or domains == "fixed":
            check_instance("schema", schema, Schema, "a Schema")
            assert schema is not None
            if schema.target is None:
                raise DataError("the schema has no target; name the classes there are")
        if half_life is not None and window is not None:
            raise InvalidParameter("half_life= and window= are two ways to forget; choose one")
        self._options = {
            "rule": rule,
            "prior": prior,
            "domains": domains,
            "half_life": half_life,
            "window": window,
            "handle_unknown": handle_unknown,
        }
        self._decay = 1.0
        if half_life is not None:
            self._decay = 0.5 ** (1 / check_number("half_life", half_life, MIN_HALF_LIFE))
        self._rows: deque[Located] | None = None
        if window is not None:
            self._most = check_size("window", window)
            self._rows = deque()
        self._rule = rule_of(rule)
        self._start = schema
        self._counts: FixedCounts | GrowingCounts
        if domains == "growing":
            self._counts = GrowingCounts(schema, *check_growing(self._rule, prior, handle_unknown))
        else:
            assert schema is not None
            refuse = handle_unknown == "error"
            self._counts = FixedCounts(schema, self._rule, prior, refuse_values=refuse)
        self._weight = 1.0
        self.n_scored, self.code_length, self._n_hits = 0, 0.0, 0
        # Reentrant, because score_one calls learn_one while it holds the lock.
        self._lock = threading.RLock()

    @classmethod
    def of(cls, model: NaiveBayes, **options: Any) -> Self:
        """Continue online from a fitted model.

        Parameters
        ----------
        model : NaiveBayes
            Fitted model. It must not select variables or average over intervals.
        options
            Further parameters of the constructor, such as ``half_life`` and ``domains``.

        Examples
        --------
        >>> model = NaiveBayes().fit({"outlook": ["sun", "rain"]}, ["yes", "no"])
        >>> stream = OnlineNaiveBayes.of(model, half_life=100)
        >>> stream.learn_one({"outlook": "sun"}, "yes").counts.class_counts.round(4)
        array([0.9931, 1.9931])
        """
        check_instance("model", model, NaiveBayes, "a fitted NaiveBayes")
        fitted = model._fitted
        if fitted.chosen is not None or fitted.params["numeric"] == "average":
            raise InvalidParameter(
                "the model chose among its variables or averages over intervals, which takes all rows at "
                'once; fit it with select=None and numeric="discretize"'
            )
        usual = {name: fitted.params[name] for name in ("rule", "prior", "handle_unknown")}
        if options.get("domains") == "growing":
            del usual["handle_unknown"]  # no value is unknown to growing domains
        found = cls(fitted.schema, **(usual | options))
        if found._rows is not None:
            raise InvalidParameter(
                "window=: rows that were counted before cannot be told apart to forget them"
            )
        found._counts.start_from(fitted.counts)
        return found

    def learn_one(self, x: Mapping[str, Any], y: Scalar) -> Self:
        """Count a row: a mapping of names to cells, and its class.

        Returns the model. A row that raises an error leaves it as it was.
        """
        with self._lock:
            # Instead of multiplying all counts by the decay, the new row gets a larger weight: one update per
            # row.
            weight = self._weight / self._decay
            # The state changes only after the row was counted: a row that is rejected leaves the model as it
            # was.
            row = self._counts.learn(x, y, weight)
            self._weight = weight
            # Rare: with a half-life of 100 rows, once in 33,000 rows.
            if weight > MAX_WEIGHT:
                self._counts.shrink(weight)
                self._weight = 1.0
            if self._rows is not None:
                # Places of values, not cells: nothing is looked up again when the row leaves the window.
                self._rows.append(row)
                if len(self._rows) > self._most:
                    self._counts.take_off(self._rows.popleft())
        return self

    def unlearn_one(self, x: Mapping[str, Any], y: Scalar) -> Self:
        """Remove a row that was learned, given as it was then.

        Not with ``half_life`` or ``window``: the weight that the row has by now is not known.
        """
        if self._decay < 1.0 or self._rows is not None:
            raise InvalidParameter("unlearn_one: rows are forgotten by half_life= or window= already")
        with self._lock:
            # Checked before anything is subtracted, because counts must not become negative.
            row = self._counts.find(x, y)
            if not self._counts.holds(row):
                raise DataError(
                    "unlearn_one: there is no such row left to take back; give one that was learned"
                )
            self._counts.take_off(row)
        return self

    def predict_proba_one(self, x: Mapping[str, Any]) -> dict[Scalar, float]:
        """Return the probability of each class of a row.

        The distribution is uniform if every class is impossible. With growing domains, probabilities are
        conditional on a class that was met before; see :meth:`new_class_proba_one`.
        """
        classes, log_weights = self._log_weights(x)
        return dict(zip(classes, probs_of(log_weights[: len(classes)]).tolist(), strict=True))

    def predict_one(self, x: Mapping[str, Any]) -> Scalar | None:
        """Return the most probable class of a row; the first of several equally probable ones.

        None if domains grow and no class was met yet.
        """
        classes, log_weights = self._log_weights(x)
        return classes[most_probable(log_weights[: len(classes)])] if classes else None

    def new_class_proba_one(self, x: Mapping[str, Any]) -> float:
        """Return the probability of a class that was not met before; 0 if domains are fixed."""
        classes, log_weights = self._log_weights(x)
        return float(probs_of(log_weights)[-1]) if len(log_weights) > len(classes) else 0.0

    def joint_log_prob_one(self, x: Mapping[str, Any], y: Scalar) -> float:
        """Return the joint log probability of a row and its class, in nats: minus the code length of the row.

        With growing domains, the code of a new value or class says that it is new, without its name.

        Examples
        --------
        >>> model, rows = OnlineNaiveBayes(domains="growing"), [("sun", "yes"), ("rain", "no")]
        >>> for outlook, play in rows:
        ...     print(round(model.joint_log_prob_one({"outlook": outlook}, play), 4))
        ...     _ = model.learn_one({"outlook": outlook}, play)
        0.0
        -2.2738
        >>> round(model.evidence_code_length, 4)
        2.2738
        """
        if not self._rule.normalises:
            raise InvalidParameter(f'rule="{self._rule.name}" gives rows no probability; use rule="evidence"')
        with self._lock:
            # Both terms under one lock: they must be of the same counts.
            found = self._counts.log_weights(x, self._weight)[self._counts.class_place(y)]
            return float(found) - self._counts.log_total(self._weight)

    def score_one(self, x: Mapping[str, Any], y: Scalar) -> float:
        """Predict a row, update the running scores, and learn it.

        Returns
        -------
        float
            Log probability of the class before it was learned, in nats. With growing domains, the probability
            of a class that was not met before is that of any new class.

        Notes
        -----
        A row is predicted from earlier ones only, so the scores need no test rows. If all rows count and the
        rule is ``"evidence"``, :attr:`code_length` is the prequential criterion, equation (5) of Kontkanen,
        Myllymäki and Tirri (2001), along the order of the stream.
        """
        with self._lock:
            place, (classes, log_weights) = self._counts.class_place(y), self._log_weights(x)
            probs = probs_of(log_weights)
            # A zero probability is recorded as an infinite code length, as in other scores.
            found = math.log(probs[place]) if probs[place] > 0 else -math.inf
            self.learn_one(x, y)
            self.n_scored += 1
            self.code_length -= found
            # A hit is a known class; the possibility of a new class is never the prediction.
            self._n_hits += bool(classes) and most_probable(log_weights[: len(classes)]) == place
        return found

    @property
    def schema(self) -> Schema:
        """Schema of the variables, values and classes so far."""
        return self._counts.schema

    @property
    def log_score(self) -> float:
        """Mean log probability of the classes of the rows scored, in nats; NaN before the first."""
        return -self.code_length / self.n_scored if self.n_scored else math.nan

    @property
    def accuracy(self) -> float:
        """Share of the rows scored whose most probable class occurred; NaN before the first."""
        return self._n_hits / self.n_scored if self.n_scored else math.nan

    @property
    def counts(self) -> Counts:
        """Copy of the counts, without forgotten rows. Missing cells are not counted."""
        with self._lock:
            return self._counts.counts(self._weight)

    @property
    def evidence_code_length(self) -> float:
        """Code length of the classes and values of all rows that count, in any order, in nats.

        It is minus the log evidence, and minus the sum of :meth:`joint_log_prob_one` along the stream.
        """
        if not self._rule.averages:
            raise InvalidParameter(f'rule="{self._rule.name}" does not average over models; use "evidence"')
        # Growing counts have a closed form of their own, in which new values take part.
        if isinstance(self._counts, GrowingCounts):
            return -self._counts.log_evidence(self._weight)
        prior: Any = self._options["prior"]
        return float(Predictor.of(self.counts, self._rule, prior).evidence_code_length())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, as JSON with its complete state; :meth:`load` reads it back."""
        from .saved import to_document

        with self._lock:
            # Under the lock, so that counts and scores in the file are of the same rows.
            documents.write(to_document(self), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "OnlineNaiveBayes":
        """Read the model that :meth:`save` wrote; raise DataError if the file is not valid."""
        from .saved import restored

        return documents.read(path, restored)

    def _log_weights(self, x: Mapping[str, Any]) -> tuple[tuple[Scalar, ...], FloatArray]:
        """Return the classes and their log weights; with growing domains, the last is that of a new class."""
        with self._lock:
            return self._counts.classes, self._counts.log_weights(x, self._weight)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the lock, because copies have a lock of their own."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def _title(self) -> str:
        rows = counted(float(np.round(self._counts.class_counts.sum() / self._weight, 1)), "row")
        return f"OnlineNaiveBayes: {rows}, {counted(self._counts.n_variables, 'variable')}"

    def _blocks(self) -> list[Block]:
        facts = [("rule", self._rule.name), ("domains", f"{self._options['domains']}")]
        facts.append(("classes", f"{len(self._counts.classes)}"))
        if self.n_scored:
            facts += [
                ("rows predicted before they were learned", f"{self.n_scored:,}"),
                ("their log score", nats_and_bits(self.log_score, 4)),
                ("their code length", nats_and_bits(self.code_length)),
                ("their accuracy", f"{self.accuracy:.4f}"),
            ]
        return [Facts(facts)]


def probs_of(log_weights: FloatArray) -> FloatArray:
    """Return probabilities from log weights, those that tie with the largest equal; uniform if all are zero.

    Examples
    --------
    >>> probs_of(np.log([0.5, 1.5])), probs_of(np.array([-np.inf, -np.inf]))
    (array([0.25, 0.75]), array([0.5, 0.5]))
    """
    if not len(log_weights):
        return log_weights
    top = log_weights.max()
    if top == -math.inf:
        return np.full(len(log_weights), 1 / len(log_weights))
    below = log_weights - top
    powers = np.where(below >= -TOLERANCE, 1.0, np.exp(below))
    return np.asarray(powers / powers.sum())


def most_probable(log_weights: FloatArray) -> int:
    """Return the place of the largest log weight, or of the first of those that tie with it."""
    return int((log_weights >= log_weights.max() - TOLERANCE).argmax())

"""Tasks of the experiment on mixtures: predictions by the three rules with the class observed and latent.

The task comes first, then ``hidden``, which fits and predicts by ``codelength.mixture``, and the scores of
its answers.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from codelength import datasets
from codelength.counts import count
from codelength.errors import Infeasible
from codelength.evaluation.splits import Split, partition
from codelength.mixture import fit_mixture
from codelength.mixture.em import em
from codelength.mixture.prediction import Effort, Learned, predict
from codelength.naive_bayes import Predictor, Prior, normalised, rule_of
from codelength.naive_bayes.query import Answer, Question
from codelength.scores import Predictions
from codelength.table import Coded
from codelength.typing import FloatArray

from ..experiment import Result
from ..tables import Source, prepare, stream_of
from ..task import TRAIN_SHARE

Protocol: TypeAlias = Literal["learning-curve", "leave-one-out"]

RULES = {"MAP": "map", "EV": "evidence", "SC": "stochastic_complexity"}
"""Rules by their names in the paper."""

ONE_OPTIMUM, CHAINS = "EV, one optimum", "EV, chains"
"""Two approximations of EV: Gibbs chains that start at the fitted mixture, and annealed chains."""

IF_OBSERVED = ", class observed"
"""End of the name of a rule with the class observed."""

MODELS = (*RULES, ONE_OPTIMUM, CHAINS, *(f"{name}{IF_OBSERVED}" for name in RULES))

SIZES = (1, 2, 5, 10, 20, 40, 80, 160, 320)
"""Training rows of a learning curve; the last size, all training rows, is added."""

MAX_EXACT = 10
"""Most rows for which EV is the exact sum over all clusterings; for more it is that of annealed chains."""

STARTS = 10
"""Starts of EM."""

ANNEALED = Effort(n_chains=20, n_draws=20, n_warmup=0, n_temperatures=100)
LOCAL = Effort(n_chains=10, n_draws=50, n_warmup=50)
CLIMB = Effort(tol=1e-6)


class Scores(NamedTuple):
    """Scores of one model: log probabilities of the true classes, hits, and standard errors of chains."""

    log_probs: FloatArray
    hits: FloatArray
    errors: FloatArray


@dataclass(frozen=True, slots=True)
class HiddenTask:
    """Some repetitions of one protocol on one table, with one number of components.

    Attributes
    ----------
    protocol : {"learning-curve", "leave-one-out"}
        Choice of training and test rows.
    first, last : int
        The partitions, or the places in a random order of the rows, ``first .. last - 1``.
    map_pseudocount, cap, seed
        As in :class:`codelength_lab.settings.Settings`.
    """

    protocol: Protocol
    source: Source
    n_components: int
    first: int
    last: int
    map_pseudocount: float = 0.0
    cap: float | None = None
    seed: int = 0

    @property
    def group(self) -> str:
        """Name shared by the repetitions of one experiment."""
        return f"{self.source.name}/{self.protocol}/{self.n_components} components"

    @property
    def key(self) -> str:
        """Name of the task.

        Examples
        --------
        >>> HiddenTask("leave-one-out", Source("glass", "kmeans", 5, "value", "whole"), 4, 10, 20).key
        'glass/leave-one-out/4 components/10-19'
        """
        return f"{self.group}/{self.first}-{self.last - 1}"

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of training rows, increasing."""
        if self.protocol == "leave-one-out":
            return (self.source.n_rows - 1,)
        n_train = round(TRAIN_SHARE * self.source.n_rows)
        return (*(size for size in SIZES if size < n_train), n_train)

    @property
    def work(self) -> float:
        """Approximate cost of the task: chains over all rows, and EM for every row and class."""
        entry = datasets.describe(self.source.name)
        n_test = 1 if self.protocol == "leave-one-out" else entry.rows - self.sizes[-1]
        per_row = (600 + n_test * entry.classes * self.n_components) * entry.attributes * self.n_components
        return float((self.last - self.first) * per_row * sum(self.sizes))

    def run(self) -> Result:
        """Return the scores of each model for each repetition and size, with errors of chains."""
        found = [[self._learned_from(unit, size) for size in self.sizes] for unit in self._units()]
        parts = {"log_score": "log_probs", "accuracy": "hits", "error": "errors"}
        return {
            model: {
                score: [[float(getattr(scores[model], part).mean()) for scores in unit] for unit in found]
                for score, part in parts.items()
            }
            for model in MODELS
        }

    def _units(self) -> list[tuple[int, Coded, Split]]:
        """Return the number of each repetition, its codes and its split, training rows in random order."""
        prepared = prepare(self.source)
        n_rows, made = prepared.coded.n_rows, []
        order = np.random.default_rng(stream_of(f"{self.seed}/{self.source.name}/rows")).permutation(n_rows)
        for number in range(self.first, self.last):
            if self.protocol == "leave-one-out":
                row = order[number : number + 1]
                split = Split(np.delete(np.arange(n_rows), row), row)
            else:
                # The same partitions as in the paper's own experiment, in which the class is observed.
                stream = stream_of(f"{self.seed}/{self.source.name}/{self.protocol}/{number}")
                split = partition(n_rows, TRAIN_SHARE, random_state=stream)
            made.append((number, prepared.learned_on(split.train), split))
        return made

    def _learned_from(self, unit: tuple[int, Coded, Split], size: int) -> dict[str, Scores]:
        """Return the scores of all models fitted to the first training rows of a repetition."""
        number, coded, split = unit
        stream = stream_of(f"{self.seed}/{self.group}/{number}/{size}")
        train, test = coded.take(split.train[:size]), coded.take(split.test)
        smoothed = Prior(1 + self.map_pseudocount, 1 + self.map_pseudocount)
        made = hidden(train, test, self.n_components, smoothed, stream, self.cap)
        counts = count(train)
        for name, rule in RULES.items():
            # MAP needs the smoothed prior to be finite; the others have the uniform one, as in the paper.
            predictor = Predictor.of(counts, rule, smoothed if rule_of(rule).settles else "uniform")
            made[f"{name}{IF_OBSERVED}"] = _scores(
                Predictions(*predictor.log_probs(test), test.class_codes), self.cap
            )
        return made


def hidden(
    train: Coded, test: Coded, n_components: int, smoothed: Prior, stream: int, cap: float | None = None
) -> dict[str, Scores]:
    """Return the predictions of a mixture in which the class is a variable and the component is latent."""
    rows, new = train.with_class_as_column(), test.with_class_as_column()
    mode, _ = fit_mixture(
        rows, n_components, smoothed, n_init=STARTS, max_iter=10_000, tol=1e-6, random_state=stream
    )
    # SC maximises the likelihood: EM without a prior continues from the best mode instead of new starts.
    likeliest, _ = em(rows, mode, max_iter=10_000, tol=1e-9)
    by_mode, learned = Learned(rows, mode, smoothed), Learned(rows, likeliest)
    question = Question.of(rows.schema, rows.schema.names[-1])
    chains = predict(learned, question, new, method="annealed", random_state=stream, effort=ANNEALED)
    answers = {
        "MAP": predict(by_mode, question, new, "map"),
        "EV": _exactly(learned, question, new) or chains,
        "SC": predict(learned, question, new, "stochastic_complexity", effort=CLIMB),
        ONE_OPTIMUM: predict(learned, question, new, method="gibbs", random_state=stream, effort=LOCAL),
        CHAINS: chains,
    }
    return {name: _answered(answer, test, cap) for name, answer in answers.items()}


def _exactly(learned: Learned, question: Question, new: Coded) -> Answer | None:
    """Return the exact average over all mixtures; None with many rows, or if floats cannot hold its terms."""
    if learned.rows.n_rows <= MAX_EXACT:
        with suppress(Infeasible):
            return predict(learned, question, new, method="exact")
    return None


def _answered(answer: Answer, test: Coded, cap: float | None) -> Scores:
    """Return the scores of an answer, with the standard errors of chains if it has some."""
    with np.errstate(divide="ignore"):
        log_probs = normalised(np.log(answer.probs)).log_probs
    made = _scores(Predictions(log_probs, answer.undefined, test.class_codes), cap)
    if answer.errors is None:
        return made
    at = np.arange(test.n_rows), np.asarray(test.class_codes, dtype=np.int64)
    # The delta method: the error of a log probability is that of the probability over the probability.
    return made._replace(errors=answer.errors[at] / answer.probs[at])


def _scores(made: Predictions, cap: float | None) -> Scores:
    return Scores(made.capped_log_probs(cap), made.hits.astype(np.float64), np.zeros(made.n_rows))

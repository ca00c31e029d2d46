"""The open question of the 2001 paper: is the fall after 30 random orderings an accident?

The paper averages the prequential criterion over random orderings of the rows. Its results improve up to 30
orderings and then fall a little, which it attributes to a random effect, or to the limits of naive random
sampling; the question is left to future work. Here every choice is averaged over many samples of orderings,
the naive sampler is compared with better ones, and sampling with optimising at equal computing time. Tasks
are computed in ``clustering_choice``; this module has gains, tables, answers and claims, in this order.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from codelength.scores.means import Mean
from codelength.typing import FloatArray

from ..claims import Claim, Leads, Verdict, by_lead, signed
from ..experiment import Experiment, Result, Spec
from ..findings import Findings, Row
from ..published import claim_of, notes_of, result_tables
from ..results import Results
from ..settings import Settings
from ..tables import source
from . import prequential_selection
from .clustering_choice import (
    BEST_FIRST,
    BEYOND,
    COSTS,
    LEAVE_ONE_OUT,
    LIMIT,
    MARGINAL,
    MOVES,
    N_ORDERINGS,
    RACE,
    OrderingsTask,
    best_of,
    linked,
    rand,
    searched,
)
from .prequential_selection import PRINTED_SPLITS, gains_of

KEY = "orderings"
TABLES = prequential_selection.TABLES
CANDIDATES, SPLITS, N_PLAIN, N_LINKED = 40, 40, 800, 240
"""More splits than in the paper's own experiment: as many as take a little more than half an hour."""
QUICK_TABLES = ("glass", "hepatitis", "iris")
QUICK_CANDIDATES, QUICK_SPLITS, QUICK_PLAIN, QUICK_LINKED = 8, 2, 400, 160

DEFAULTS = prequential_selection.DEFAULTS

N_STUDIES = 10_000
"""Studies that are drawn."""

PEAK = 30
"""Number of orderings after which the paper sees a fall."""

ANSWERS: dict[Verdict, str] = {
    "held": "yes",
    "not held": "no, the other way round",
    "unsettled": "it cannot be told from noise",
}


def _tasks(quick: bool, settings: Settings) -> list[OrderingsTask]:
    """Return one task per table and split."""
    n_splits = settings.repeats or (QUICK_SPLITS if quick else SPLITS)
    n_candidates = QUICK_CANDIDATES if quick else CANDIDATES
    pools = (QUICK_PLAIN, QUICK_LINKED) if quick else (N_PLAIN, N_LINKED)
    sizes = (*N_ORDERINGS, *BEYOND)
    return [
        OrderingsTask(
            source(name, settings, prequential_selection.BINS),
            *(split, True, n_candidates, sizes, settings.seed, *pools),
        )
        for name in (QUICK_TABLES if quick else TABLES)
        for split in range(n_splits)
    ]


class Studies:
    """All results of one specification: gains on its tables, and studies of the paper's size drawn from them.

    Attributes
    ----------
    scores : Results
        Test log scores of the choices by table and criterion (``model``), split by split.
    sizes, printed_sizes : list of int
        Numbers of independent orderings, and those of them that the paper has.
    """

    def __init__(self, spec: Spec[OrderingsTask], results: Mapping[str, Result]) -> None:
        self.spec, self._results = spec, results
        self.scores = Results(
            ("table", "model"),
            (
                ((task.source.name, criterion), scores[:1])
                for task in spec.tasks
                for criterion, scores in results[task.key]["scores"].items()
            ),
        )
        self.tables: list[str] = self.scores.levels("table")
        self.sizes = list(spec.tasks[0].sizes)
        self.printed_sizes = [n for n in self.sizes if n <= N_ORDERINGS[-1]]

    @cached_property
    def gains(self) -> Results:
        """Relative gains over the marginal likelihood; units are the tables."""
        return gains_of(self.spec, {key: result["scores"] for key, result in self._results.items()})

    def lead(self, criterion: str, other: str) -> Mean:
        """Return the gain of one criterion less that of another on these tables, in points of log gain.

        The standard error is over splits within tables, the orderings of each split included. It is the
        uncertainty on the tables at hand, not on others.
        """
        values, variances = [], []
        for table in self.tables:
            base = -float(self.scores.units(table=table, model=MARGINAL).mean())
            differences = 100 * self.scores.gains(criterion, other, table=table) / base
            values.append(differences.mean())
            # Splits of one table are the repetitions here; tables are fixed.
            variances.append(differences.var(ddof=1) / len(differences) if len(differences) > 1 else np.nan)
        return Mean(float(np.mean(values)), float(np.sqrt(np.sum(variances)) / len(values)))

    @property
    def race(self) -> float:
        """Mean number of orderings of a candidate in a race."""
        return float(np.mean([result["race"] for result in self._results.values()]))

    def efficiency(self, scheme: str) -> float:
        """Return the variance of plain orderings over that of linked ones, geometric mean over splits."""
        logs = [np.log(result["efficiency"][scheme]) for result in self._results.values()]
        return float(np.exp(np.mean(logs)))

    @cached_property
    def drawn(self) -> FloatArray:
        """Mean gains of PREQ-RAND(n) in studies of the paper's size, shape (n_studies, n_sizes).

        A study has 15 splits of each table, drawn from ours, and one sample of orderings for each, which
        grows from the first number of orderings to the last.
        """
        rng = np.random.default_rng(self.spec.settings.seed)
        total = np.zeros((N_STUDIES, len(self.printed_sizes)))
        for table in self.tables:
            keys = [task.key for task in self.spec.tasks if task.source.name == table]
            nested = np.array([self._results[key]["nested"] for key in keys])
            bases = self.scores.units(table=table, model=MARGINAL)
            # A bootstrap of our splits: the paper has 15 splits per table, and we have more to draw from.
            splits = rng.integers(0, len(keys), (N_STUDIES, PRINTED_SPLITS))
            samples = rng.integers(0, nested.shape[1], splits.shape)
            means, base = nested[splits, samples].mean(axis=1), bases[splits].mean(axis=1)[:, None]
            total += 100 * (means - base) / -base
        return total / len(self.tables)

    @property
    def falls(self) -> float:
        """Share of studies in which the last number of orderings gains less than the peak."""
        return float(np.mean(self.drawn[:, -1] < self.drawn[:, self.printed_sizes.index(PEAK)]))


def _find(opened: Findings, spec: Spec[Any], results: dict[str, Result]) -> Findings:
    """Return the findings: answers, claims and gains."""
    found, task = Studies(spec, results), spec.tasks[0]
    return replace(
        opened,
        notes=notes_of(
            KEY,
            tables=len(found.tables),
            splits=len(spec.tasks) // len(found.tables),
            candidates=task.n_candidates,
            plain=task.n_plain,
            linked=task.n_linked,
            most=found.printed_sizes[-1],
            studies=N_STUDIES,
            moves=" and ".join(map(str, MOVES.values())),
            race=found.race,
            antithetic=found.efficiency("antithetic"),
            rotated=found.efficiency("rotated"),
        ),
        claims=claims_of(found),
        tables=result_tables(
            KEY,
            {
                "answers": answers_of(found),
                "gains": _gains(found),
                "by-table": _by_table(found),
                "studies": _studies(found),
            },
            studies=N_STUDIES,
        ),
    )


def _gains(found: Studies) -> list[Row]:
    """Return the gains of all criteria over the marginal likelihood, with their computing times."""
    rows: list[Row] = []
    for name in found.gains.levels("model"):
        on_these, error = found.lead(name, MARGINAL), found.gains.mean(model=name, score="error")
        rows.append(
            {
                "criterion": name,
                # A race stops by itself, so that its cost is measured and not set.
                "time in orderings": found.race if name == RACE else COSTS.get(name),
                "log gain, %": on_these.value,
                "s.e. on these tables": on_these.standard_error,
                "s.e. over tables": found.gains.mean(model=name, score="log").standard_error,
                "0/1 gain, %": error.value,
                "s.e. of 0/1 over tables": error.standard_error,
            }
        )
    return rows


def _by_table(found: Studies) -> list[Row]:
    logs = found.gains.at(score="log")
    return [
        {"table": table, "criterion": name, "log gain, %": value}
        for name in logs.levels("model")
        for table, value in zip(found.tables, logs.units(model=name).tolist(), strict=True)
    ]


def _studies(found: Studies) -> list[Row]:
    """Return the spread of gains between studies of the paper's size."""
    drawn = found.drawn
    return [
        {
            "orderings": str(n),
            "mean gain, %": float(own.mean()),
            "standard deviation": float(own.std(ddof=1)),
            "best of all, share": float((drawn.argmax(axis=1) == place).mean()),
        }
        for place, (n, own) in enumerate(zip(found.printed_sizes, drawn.T, strict=True))
    ]


def answers_of(found: Studies) -> list[Row]:
    """Return the questions of the page with the answers of our results."""
    most = found.printed_sizes[-1]

    def row(question: str, *pair: str) -> Row:
        lead = found.lead(*pair)
        answer = ANSWERS[by_lead(*lead)]
        return {"question": question, "answer": answer, "points of log gain": signed(*lead, 2)}

    worse = f"Do {most} orderings choose worse than {PEAK}, on average over samples?"
    often = f"How often does a study of the paper's size see {most} below {PEAK}?"
    answer = f"in {found.falls:.0%} of studies drawn from ours; in 50% if there were no fall"
    better = f"Do {PEAK} antithetic orderings choose better than {PEAK} independent ones?"
    return [
        row(worse, rand(PEAK), rand(most)),
        {"question": often, "answer": answer, "points of log gain": ""},
        row(better, linked("antithetic", PEAK), rand(PEAK)),
        *(
            row(f"In the time of {n} orderings, does averaging choose better than {other}?", rand(n), other)
            for n in MOVES
            if n in found.sizes
            for other in (best_of(n), searched(n))
        ),
    ]


def claims_of(found: Studies) -> list[Claim]:
    """Return all claims: on the fall, on averaging against a search for the best, and on other samples."""
    most = found.printed_sizes[-1]
    claim = partial(_claim, found)
    return [
        claim("fall", [(rand(PEAK), rand(most))], most=most),
        claim("limit", [(rand(PEAK), LIMIT)], is_beyond=True),
        _accident(found),
        claim("rise", [(rand(PEAK), rand(1))]),
        claim("best", [(rand(n), best_of(n)) for n in found.sizes if n > 1]),
        claim("greedy", [(rand(10), BEST_FIRST)]),
        claim("search", [(rand(n), searched(n)) for n in MOVES if n in found.sizes], is_beyond=True),
        claim("longer", [(searched(400), searched(100))], is_beyond=True),
        claim("antithetic", [(linked("antithetic", PEAK), rand(PEAK))], is_beyond=True),
        claim("race", [(LIMIT, RACE)], is_beyond=True),
        claim("leaving", [(LIMIT, LEAVE_ONE_OUT)]),
    ]


def _claim(
    found: Studies, name: str, pairs: Iterable[tuple[str, str]], *, is_beyond: bool = False, **values: int
) -> Claim:
    """Return a claim decided on the tables at hand, with its standard error over tables in the text."""
    leads = Leads({pair: found.lead(*pair) for pair in pairs})
    least = min(leads, key=lambda pair: leads[pair].value)
    # Reported but not decisive: the question is about the tables of the experiment.
    over_tables = found.gains.lead(*least, score="log")
    word = "smallest lead " if len(leads) > 1 else ""
    figures = (
        f"{word}{least[0]} less {least[1]}: {signed(*leads[least], 2)} points on these tables; with the "
        f"spread between tables: ± {over_tables.standard_error:.2f}"
    )
    return claim_of(KEY, name, leads.every(), figures, is_beyond=is_beyond, **values)


def _accident(found: Studies) -> Claim:
    """Return the claim that one study of the paper's size cannot tell whether there is a fall.

    Studies are drawn from our results, so that their mean step is the one that we found and carries no
    information of its own. Their spread around it shows what one study can tell.
    """
    drawn, sizes = found.drawn, found.printed_sizes
    peaks = float(np.mean(drawn.argmax(axis=1) == sizes.index(PEAK)))
    step = drawn[:, -1] - drawn[:, sizes.index(PEAK)]
    mean = signed(float(step.mean()), digits=2)
    return claim_of(
        KEY,
        "accident",
        # A statement about drawn studies without noise of its own: 10,000 draws fix it.
        by_lead(2 * float(step.std()) - abs(float(step.mean()))),
        f"the step is {mean} points on average over {len(drawn):,} studies drawn from ours, with a standard "
        f"deviation of {step.std():.2f}; PREQ-RAND({sizes[-1]}) is below PREQ-RAND({PEAK}) in "
        f"{found.falls:.0%} of them, and would be in 50% if there were no fall; PREQ-RAND({PEAK}) is the "
        f"best of all in {peaks:.0%}",
        is_beyond=True,
        most=sizes[-1],
    )


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find, is_published=False)

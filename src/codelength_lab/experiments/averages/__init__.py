"""Our own comparison: ModelAverage, its members, naive Bayes and classifiers of other libraries.

On small tables, models are fitted to a tenth, a quarter or two thirds of the rows and predict others.
"""

from collections.abc import Iterator

from codelength.evaluation.opponents import OPPONENTS

from ...experiment import Experiment
from ...findings import Findings
from ...settings import Settings, differences
from ...spec import Result, Spec
from .claims import claims_of
from .comparison import Comparison
from .models import AVERAGE, NAIVE_BAYES, PRIOR, member_kinds, opponent_kinds, title_of
from .rows import tables_of
from .tables import MOST_ROWS, MOST_TEST_ROWS, QUICK_SHARES, QUICK_TABLES, SHARES, TABLES, TWINS
from .task import ComparisonTask

__all__ = ["EXPERIMENT"]

KEY = "averages"
REPEATS, QUICK_REPEATS = 5, 1

DEFAULTS = Settings()


def _tasks(quick: bool, settings: Settings) -> Iterator[ComparisonTask]:
    repeats = settings.repeats or (QUICK_REPEATS if quick else REPEATS)
    kinds = [AVERAGE, *opponent_kinds(quick=quick), NAIVE_BAYES, *member_kinds(), PRIOR]
    for table in QUICK_TABLES if quick else TABLES:
        for share in QUICK_SHARES if quick else SHARES:
            for kind in kinds:
                yield ComparisonTask(kind, table, share, 0, repeats, settings.seed)


def _find(spec: Spec[ComparisonTask], results: dict[str, Result]) -> Findings:
    """Return the findings of the comparison."""
    comparison = Comparison(spec, results)
    return Findings(
        spec.paper,
        "ModelAverage beside other classifiers",
        "Our own comparison, on the bundled tables; no paper prints these figures.",
        spec.quick,
        spec.settings.to_json(),
        differences(DEFAULTS, spec.settings),
        notes=_notes(comparison),
        claims=claims_of(comparison),
        tables=tables_of(comparison),
    )


def _notes(comparison: Comparison) -> list[str]:
    """Return remarks on the protocol, the opponents and the tests."""
    absent = [title_of(kind) for kind in OPPONENTS if kind not in comparison.opponents]
    shares = ", ".join(f"{share:.0%}" for share in comparison.shares)
    ranking = comparison.ranking()
    notes = [
        f"{len(comparison.tables)} tables, of each at most {MOST_ROWS} rows; {shares} of them are learned "
        f"from and at most {MOST_TEST_ROWS} others predicted, in {_times(comparison.n_repetitions)}. All "
        "models see the same rows.",
        f"Left out, because they hold rows of another table: {_pairs(TWINS)}. Of cleve and heart-statlog "
        "most rows are the same patients.",
        "An opponent gets what a careful user would do: logistic regression a penalty chosen by inner "
        "cross-validation, the random forest a calibration by its out-of-bag predictions, "
        "HistGradientBoosting leaves and rounds chosen by inner cross-validation. CatBoost has its 1000 "
        "rounds (fewer for many classes), LightGBM settings for small tables, CategoricalNB five intervals.",
        "Opponents are mixed with the class prior as if one more row had been seen, (n p + prior) / (n + 1), "
        "and k of C classes that were not seen share k/2 / (n + C/2), so that none is lost for a "
        "probability of zero. ModelAverage, its members and NaiveBayes are scored as they are.",
        "Accuracy, Brier score (0 to 2) and calibration error are means over tables and shares, as is the "
        "log loss under the heading mean. Times are of one processor, and vary from machine to machine. Wins "
        "and ranks are among ModelAverage and its opponents.",
        f"Differences between models are tested over tables, on means over shares: Friedman's test for any "
        f"difference (p {_p(ranking.friedman)}), Wilcoxon's signed rank test with Holm's correction for "
        "pairs, at the level of 5 %.",
    ]
    if absent:
        why = (
            "a quick run has those of scikit-learn alone"
            if comparison.spec.quick
            else 'pip install "codelength[bench]" brings them'
        )
        notes.append(f"Absent: {', '.join(absent)} ({why}).")
    return notes


def _times(n: int) -> str:
    return "one repetition" if n == 1 else f"{n} repetitions"


def _pairs(pairs: dict[str, str]) -> str:
    return ", ".join(f"{name} ({other})" for name, other in pairs.items())


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find, page="comparison")

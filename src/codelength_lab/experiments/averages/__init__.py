"""Our own comparison: ModelAverage, its members, naive Bayes and classifiers of other libraries.

On small tables, models are fitted to a tenth, a quarter or two thirds of the rows and predict others.
"""

from collections.abc import Iterator
from dataclasses import replace

from codelength.evaluation.opponents import OPPONENTS

from ...experiment import Experiment, Result, Spec
from ...findings import Findings
from ...predictions import p_value
from ...published import notes_of
from ...settings import Settings
from .claims import claims_of
from .comparison import Comparison
from .models import AVERAGE, NAIVE_BAYES, PRIOR, member_kinds, opponent_kinds, title_of
from .rows import tables_of
from .tables import MAX_ROWS, MAX_TEST_ROWS, QUICK_SHARES, QUICK_TABLES, SHARES, TABLES, TWINS
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


def _find(opened: Findings, spec: Spec[ComparisonTask], results: dict[str, Result]) -> Findings:
    """Return the findings of the comparison."""
    comparison = Comparison(spec, results)
    return replace(
        opened, notes=_notes(comparison), claims=claims_of(comparison), tables=tables_of(comparison)
    )


def _notes(comparison: Comparison) -> list[str]:
    """Return remarks on the protocol, the opponents and the tests."""
    absent = [title_of(kind) for kind in OPPONENTS if kind not in comparison.opponents]
    n = comparison.n_repetitions
    in_quick, to_install = (
        "a quick run has those of scikit-learn alone",
        'pip install "codelength[bench]" brings them',
    )
    return notes_of(
        KEY,
        tables=len(comparison.tables),
        shares=", ".join(f"{share:.0%}" for share in comparison.shares),
        most_rows=MAX_ROWS,
        most_test_rows=MAX_TEST_ROWS,
        times="one repetition" if n == 1 else f"{n} repetitions",
        twins=", ".join(f"{name} ({other})" for name, other in TWINS.items()),
        friedman=p_value(comparison.ranking().friedman),
        absent=", ".join(absent) or None,
        why=in_quick if comparison.is_quick else to_install,
    )


EXPERIMENT = Experiment(KEY, DEFAULTS, _tasks, _find, is_published=False)

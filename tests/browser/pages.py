"""Pages to look at: one of each kind."""

from dataclasses import replace
from functools import cache

import numpy as np

from codelength import FiniteMixture, NaiveBayes, report
from codelength.reporting.results import LatentAnalysis, TableFacts
from unit.reporting.made_up import made_up_analysis, with_rows

RULES = ("evidence", "map", "stochastic_complexity", "indifferent")

HOSTILE = "</script><script>hit=1;alert(1)</script><img src=x onerror=hit=1>\"'&{{7*7}}\njavascript:hit=1"
"""What a table must not be able to do."""


@cache
def table():
    """Rows of several kinds of columns, with missing cells, and a class."""
    rng = np.random.default_rng(7)
    n_rows = 300
    classes = rng.integers(0, 3, n_rows)
    columns = {
        "colour": [str(v) for v in rng.choice(["red", "green", 'b"l<u>e', "1"], n_rows)],
        "size": (classes + rng.normal(size=n_rows)).round(3).tolist(),
        "legs": rng.choice([0, 2, 4], n_rows).tolist(),
        "wild": (rng.random(n_rows) < 0.3 + 0.2 * classes).tolist(),
        "day": [f"2026-01-{day:02d}" for day in rng.integers(1, 29, n_rows)],
    }
    for cells in columns.values():
        for row in np.flatnonzero(rng.random(n_rows) < 0.1):
            cells[row] = None
    return columns, [f"k{k}" for k in classes]


@cache
def models():
    """Naive Bayes under each rule."""
    columns, classes = table()
    return {rule: NaiveBayes(rule=rule).fit(columns, classes) for rule in RULES}


@cache
def whatif_page():
    """A page whose what-if scores with real models."""
    analysis = made_up_analysis(classes=("k0", "k1", "k2"))
    scorers = {rule: model.to_scorer() for rule, model in models().items()}
    return report(replace(analysis, scorers=scorers)).html


@cache
def latent():
    """Hidden classes of a table."""
    rng = np.random.default_rng(3)
    group = rng.integers(0, 2, 200)
    columns = {
        name: np.where(rng.random(200) < 0.15 + 0.7 * group, "yes", "no").tolist()
        for name in ("feathers", "eggs", "wings", "<b>beak</b>")
    }
    model = FiniteMixture(random_state=0, n_init=5, max_components=4).fit(columns)
    held = TableFacts("birds", 200, 4, 0, None, (), np.array([]), (), ())
    return LatentAnalysis(
        table=held,
        model=model,
        comparison=model.comparison_,
        settings=(("criterion", "cheeseman_stutz"),),
        command="codelength report birds.csv",
        version="0.0",
        seed=0,
        seconds=1.0,
    )


PAGES = {
    "two": lambda: report(replace(with_rows(made_up_analysis(14)), latent=latent())).html,
    "five": lambda: (
        report(made_up_analysis(5, classes=("setosa", "versicolor", "virginica", "an iris", "none"))).html
    ),
    "fifty": lambda: report(made_up_analysis(30, classes=tuple(f"class {k}" for k in range(50)))).html,
    "hostile": lambda: report(with_rows(made_up_analysis(prefix=HOSTILE)), title=HOSTILE).html,
    "what-if": whatif_page,
    "latent": lambda: report(latent()).html,
}

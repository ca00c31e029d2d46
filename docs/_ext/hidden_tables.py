"""The tables on the page about hidden classes: ``python docs/_ext/hidden_tables.py [--run]``.

They are written from ``hidden-errors.csv`` and stand between comments. ``--run`` first predicts the class in
small samples of bundled tables by every rule and method, which takes two minutes, and writes that file.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from codelength_lab.findings import Row
from codelength_lab.pages import fill, read_rows, write_rows

DOCS = Path(__file__).parents[1]
RUN = DOCS / "results" / "hidden-errors.csv"
PAGE = DOCS / "explanation" / "theory" / "hidden-classes.md"
TABLES = ("breast-cancer", "iris", "vote", "zoo")
SIZES = (8, 12, 16, 20)
N_SAMPLES, N_NEW, N_COMPONENTS = 5, 25, 3
WAYS = {
    "Gibbs chains": ("evidence", "gibbs"),
    "annealed chains": ("evidence", "annealed"),
    "neighbourhoods": ("neighbourhood", ""),
    "Cheeseman-Stutz ratio": ("cheeseman_stutz", ""),
    "MAP": ("map", "auto"),
    "stochastic complexity": ("stochastic_complexity", "auto"),
}


def errors_in(name: str, n_rows: int, sample: int) -> Iterator[Row]:
    """Yield the errors of every way in one sample, compared with the exact average."""
    from codelength import datasets
    from codelength.mixture import fit_mixture
    from codelength.mixture.prediction import Learned, predict
    from codelength.naive_bayes.query import Question
    from codelength.sources import as_coded
    from codelength_lab.approximate_answers import cheeseman_stutz_answer, neighbourhood_answer

    coded = as_coded(datasets.load(name).table).with_class_as_column()
    order = np.random.default_rng([sample, n_rows]).permutation(coded.n_rows)
    rows, new = coded.take(order[:n_rows]), coded.take(order[n_rows : n_rows + N_NEW])
    mixture, _ = fit_mixture(rows, N_COMPONENTS, n_init=10, random_state=sample)
    learned, question = Learned(rows, mixture), Question.of(rows.schema, rows.schema.names[-1])
    exact = predict(learned, question, new, method="exact")
    classes = new.codes[:, -1].astype(np.int64)

    def log_score(probs: np.ndarray) -> float:
        return float(np.log(np.maximum(probs[np.arange(len(classes)), classes], 1e-300)).mean())

    for way, (rule, method) in WAYS.items():
        if rule == "neighbourhood":
            answer = neighbourhood_answer(learned, question, new, sample)
        elif rule == "cheeseman_stutz":
            answer = cheeseman_stutz_answer(learned, question, new)
        else:
            answer = predict(learned, question, new, rule, method=method, random_state=sample)
        away = np.abs(answer.probs - exact.probs)
        scores = 0.0 if answer.errors is None else (away / answer.errors).ravel()
        yield {
            "table": name,
            "rows": n_rows,
            "sample": sample,
            "way": way,
            "mean": f"{away.mean():.3g}",
            "largest": f"{away.max():.3g}",
            "standardised": f"{np.sqrt(np.mean(np.square(scores))):.3g}",
            "log_score": f"{log_score(answer.probs):.4g}",
            "log_score_exact": f"{log_score(exact.probs):.4g}",
        }


def run() -> None:
    """Predict all samples, and keep the errors."""
    rows = [
        line
        for name in TABLES
        for n_rows in SIZES
        for sample in range(N_SAMPLES)
        for line in errors_in(name, n_rows, sample)
    ]
    write_rows(RUN, rows)


def kept() -> dict[tuple[str, int], list[Row]]:
    """Return the results by way and number of rows."""
    found = defaultdict(list)
    for row in read_rows(RUN):
        found[row["way"], row["rows"]].append(row)
    return dict(found)


def _grid(first: str, rows: dict[str, list[str]]) -> str:
    head = [f"N = {n_rows}" for n_rows in SIZES]
    lines = [f"| {first} | {' | '.join(head)} |", f"|---|{'---|' * len(SIZES)}"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items())])


def errors() -> str:
    """Return the mean and largest error of each way, by the number of rows."""
    found, rows = kept(), {}
    for way in WAYS:
        of_way = [_figures(found[way, n_rows], "mean", "largest") for n_rows in SIZES]
        rows[way] = [f"{mean.mean():.4f} ({largest.max():.2f})" for mean, largest in of_way]
    return _grid("way", rows)


def standardised() -> str:
    """Return errors of chains in units of their standard errors, by the number of rows."""
    found, rows = kept(), {}
    for way in ("Gibbs chains", "annealed chains"):
        of_way = [_figures(found[way, n_rows], "standardised")[0] for n_rows in SIZES]
        rows[way] = [f"{np.sqrt((figures**2).mean()):.2f}" for figures in of_way]
    return _grid("root mean square", rows)


def scores() -> str:
    """Return mean log scores of two rules, and how much they differ from sample to sample."""
    found, rows = kept(), {}
    both = [
        _figures(found["stochastic complexity", n_rows], "log_score", "log_score_exact") for n_rows in SIZES
    ]
    rows["evidence, exactly"] = [f"{exact.mean():.3f}" for _, exact in both]
    rows["stochastic complexity"] = [f"{own.mean():.3f}" for own, _ in both]
    gains = [own - exact for own, exact in both]
    rows["gain, with standard error"] = [
        f"{gain.mean():+.3f} ± {gain.std(ddof=1) / np.sqrt(len(gain)):.3f}" for gain in gains
    ]
    return _grid("rule", rows)


def _figures(lines: list[Row], *names: str) -> tuple[np.ndarray, ...]:
    return tuple(np.array([line[name] for line in lines]) for name in names)


def tables() -> dict[str, str]:
    """Return the tables as Markdown, by name."""
    return {"errors": errors(), "standardised": standardised(), "scores": scores()}


if __name__ == "__main__":
    if "--run" in sys.argv[1:]:
        run()
    fill(PAGE, tables())

"""Rows learned and predicted one at a time, beside river on the same stream."""

from collections.abc import Callable
from statistics import median

from river import compose, naive_bayes, preprocessing

from codelength import NaiveBayes, OnlineNaiveBayes

from .measure import Ratio, cpu_seconds
from .tables import coded_table

N_ROWS, N_OF_RIVER = 10_000, 1_000

Stream = list[tuple[dict[str, str], str]]


def stream() -> Stream:
    """20 variables of text, as they come from a log."""
    codes, classes, _ = coded_table(N_ROWS)
    rows = [{f"x{i}": f"v{code}" for i, code in enumerate(row)} for row in codes.tolist()]
    return list(zip(rows, (f"k{label}" for label in classes.tolist()), strict=True))


def compared(what: str, theirs: Callable[[], object], mine: Callable[[], object], most: float) -> list[Ratio]:
    """Time per row, by turns: as a ratio, and beside the microseconds that are wanted at most."""
    pairs = [(cpu_seconds(theirs) / N_OF_RIVER, cpu_seconds(mine) / N_ROWS) for _ in range(5)]
    river, own = 1e6 * median(a for a, _ in pairs), 1e6 * median(b for _, b in pairs)
    ratio = median(a / b for a, b in pairs)
    peer = "river, one-hot and Bernoulli"
    return [
        Ratio(f"{what}, a row of 20", peer, river, own, "us", ratio, "at least 10", ratio >= 10),
        Ratio(f"{what}, a row of 20", f"{most:g} us", most, own, "us", most / own, "at least 1", own <= most),
    ]


def run() -> list[Ratio]:
    """All timings of streams."""
    data = stream()
    columns = {name: [row[name] for row, _ in data] for name in data[0][0]}
    fitted = NaiveBayes().fit(columns, [label for _, label in data])
    river = compose.Pipeline(preprocessing.OneHotEncoder(), naive_bayes.BernoulliNB())
    ratios = []
    for name, model in (
        ("fixed domains", OnlineNaiveBayes(fitted.schema_)),
        ("growing domains", OnlineNaiveBayes(domains="growing")),
    ):
        model.score_one(*data[0])  # compiles the kernels

        def learn(model: OnlineNaiveBayes = model) -> None:
            for row, label in data:
                model.learn_one(row, label)

        def predict(model: OnlineNaiveBayes = model) -> None:
            for row, _ in data:
                model.predict_proba_one(row)

        ratios += compared(f"learn_one, {name}", lambda: _learned_by(river, data), learn, 30)
        ratios += compared(f"predict_proba_one, {name}", lambda: _predicted_by(river, data), predict, 60)

    def one() -> None:
        for row, _ in data:
            fitted.one(row)

    ratios += compared("NaiveBayes.one", lambda: _predicted_by(river, data), one, 60)
    return ratios


def _learned_by(model, data: Stream) -> None:
    for row, label in data[:N_OF_RIVER]:
        model.learn_one(row, label)


def _predicted_by(model, data: Stream) -> None:
    for row, _ in data[:N_OF_RIVER]:
        model.predict_proba_one(row)

"""The table of code lengths on the page about streams is what the streams cost."""

import math
import re

import numpy as np
import pytest

from codelength import OnlineNaiveBayes, datasets
from escapes import ESCAPES, code_lengths

PAGE = "docs/how-to/streams.md"
MOST_ROWS = {"letter": 2000}
QUICK = ("zoo", "vote", "primary-tumor")


@pytest.fixture(scope="module")
def page(request):
    """Bits for classes and for whole rows, by stream and rule."""
    text = (request.config.rootpath / PAGE).read_text(encoding="utf-8")
    head, *lines = re.search(r"\| stream \|.*?\n\n", text, re.DOTALL)[0].strip().splitlines()
    rules = [rule.strip() for rule in head.strip("|").split("|")][1:]
    assert rules[1:] == list(ESCAPES)
    table = {}
    for line in lines[1:]:
        name, *pairs = (cell.strip() for cell in line.strip("|").split("|"))
        table[name] = {
            rule: tuple(map(int, pair.split(" / "))) for rule, pair in zip(rules, pairs, strict=True)
        }
    return table


def stream_of(name):
    table = datasets.load(name).table
    table = table.take(np.arange(min(MOST_ROWS.get(name, 3000), table.n_rows)))
    cells = zip(*(column.cells for column in table.columns), strict=True)
    rows = [dict(zip(table.names, row, strict=True)) for row in cells]
    present = [{key: cell for key, cell in row.items() if cell is not None and cell == cell} for row in rows]
    return list(zip(present, table.target.cells, strict=True))


def compare(page, name):
    stream, model, cost = stream_of(name), OnlineNaiveBayes(domains="growing"), 0.0
    for row, label in stream:
        cost -= model.joint_log_prob_one(row, label)
        model.score_one(row, label)
    assert cost == pytest.approx(model.evidence_code_length, rel=1e-9)
    found = {"average over sizes": (model.code_length / math.log(2), cost / math.log(2))}
    found |= {rule: code_lengths(stream, rule) for rule in ESCAPES}
    assert {rule: (round(bits), round(all_bits)) for rule, (bits, all_bits) in found.items()} == page[name]


@pytest.mark.parametrize("name", QUICK)
def test_short_streams_cost_what_the_page_says(page, name):
    compare(page, name)


@pytest.mark.long
def test_long_streams_cost_what_the_page_says(page):
    for name in set(page) - {*QUICK, "all"}:
        compare(page, name)


def test_the_last_line_is_the_sum(page):
    streams = [name for name in page if name != "all"]
    assert len(streams) == 8
    for rule, total in page["all"].items():
        assert total == tuple(map(sum, zip(*(page[name][rule] for name in streams), strict=True)))

"""Claims on the fall after 30 orderings, and on sampling against optimising at equal computing time."""

from collections.abc import Iterable
from functools import partial

import numpy as np

from ...claims import Claim, signed
from ...findings import ResultTable, Value
from ...published import claim_of
from ...verdicts import Verdict, by_lead
from ..prequential_selection.task import LEAVE_ONE_OUT, best_of, rand
from .studies import PEAK, Studies
from .task import GREEDY, LIMIT, MOVES, RACE, linked, searched

KEY = "orderings"


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
        claim("greedy", [(rand(10), GREEDY)]),
        claim("search", [(rand(n), searched(n)) for n in MOVES if n in found.sizes], is_beyond=True),
        claim("longer", [(searched(400), searched(100))], is_beyond=True),
        claim("antithetic", [(linked("antithetic", PEAK), rand(PEAK))], is_beyond=True),
        claim("race", [(LIMIT, RACE)], is_beyond=True),
        claim("leaving", [(LIMIT, LEAVE_ONE_OUT)]),
    ]


def answers_of(found: Studies) -> ResultTable:
    """Return the questions of the page with the answers of our results."""
    most = found.printed_sizes[-1]
    rows: list[dict[str, Value]] = [
        _answer(
            found,
            f"Do {most} orderings choose worse than {PEAK}, on average over samples?",
            (rand(PEAK), rand(most)),
        ),
        {
            "question": f"How often does a study of the paper's size see {most} below {PEAK}?",
            "answer": f"in {found.falls:.0%} of studies drawn from ours; in 50% if there were no fall",
            "points of log gain": "",
        },
        _answer(
            found,
            f"Do {PEAK} antithetic orderings choose better than {PEAK} independent ones?",
            (linked("antithetic", PEAK), rand(PEAK)),
        ),
    ]
    rows += [
        _answer(
            found,
            f"In the time of {n} orderings, does averaging choose better than {other}?",
            (rand(n), other),
        )
        for n in MOVES
        if n in found.sizes
        for other in (best_of(n), searched(n))
    ]
    return ResultTable("answers", "The answers", rows, first=True)


_ANSWERS: dict[Verdict, str] = {
    "held": "yes",
    "not held": "no, the other way round",
    "unsettled": "it cannot be told from noise",
}


def _answer(found: Studies, question: str, pair: tuple[str, str]) -> dict[str, Value]:
    lead = found.lead(*pair)
    return {"question": question, "answer": _ANSWERS[by_lead(*lead)], "points of log gain": signed(*lead, 2)}


def _claim(
    found: Studies, name: str, pairs: Iterable[tuple[str, str]], *, is_beyond: bool = False, **values: int
) -> Claim:
    """Return a claim decided on the tables at hand, with its standard error over tables in the text."""
    leads = found.leads(pairs)
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

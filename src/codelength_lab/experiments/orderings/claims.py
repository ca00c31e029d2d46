"""Claims on the fall after 30 orderings, and on sampling against optimising at equal computing time."""

from collections.abc import Iterable

import numpy as np

from ...claims import Claim, signed
from ...findings import ResultTable, Value
from ...verdicts import Verdict, by_lead
from ..prequential_selection.task import LEAVE_ONE_OUT, best_of, rand
from .studies import PEAK, Studies
from .task import GREEDY, LIMIT, MOVES, RACE, linked, searched

FALL = "section 4.2: the fall after 30 orderings"
CHOICE = "section 5: sampling or optimising"
SAMPLERS = "section 5: more elaborate sampling"
LEAVING = "section 5: leave-one-out"


def claims_of(found: Studies) -> list[Claim]:
    """Return all claims: on the fall, on averaging against a search for the best, and on other samples."""
    most = found.printed_sizes[-1]
    fall = f"PREQ-RAND({most}) gains less than PREQ-RAND({PEAK}): the fall is real."
    limit = "The mean over all orderings that were drawn gains less than PREQ-RAND(30)."
    best = "Averaging beats taking the best of as many random orderings, for every number above 1."
    greedy = "Averaging over 10 orderings beats the greedy ordering, which takes longer."
    search = "Averaging beats a local search for the best ordering, at equal computing time."
    sampler = f"{PEAK} antithetic orderings gain more than {PEAK} independent ones."
    race = "The mean over all orderings that were drawn gains more than a race along antithetic ones."
    leaving = "The mean over all orderings that were drawn gains more than leave-one-out."
    pairs_best = [(rand(n), best_of(n)) for n in found.sizes if n > 1]
    pairs_searched = [(rand(n), searched(n)) for n in MOVES if n in found.sizes]
    return [
        _claim(found, FALL, fall, [(rand(PEAK), rand(most))]),
        _claim(found, FALL, limit, [(rand(PEAK), LIMIT)], is_beyond=True),
        _accident(found),
        _claim(found, FALL, f"PREQ-RAND({PEAK}) gains more than PREQ-RAND(1).", [(rand(PEAK), rand(1))]),
        _claim(found, CHOICE, best, pairs_best),
        _claim(found, CHOICE, greedy, [(rand(10), GREEDY)]),
        _claim(found, CHOICE, search, pairs_searched, is_beyond=True),
        _claim(
            found,
            CHOICE,
            "A longer local search gains more than a shorter one.",
            [(searched(400), searched(100))],
            is_beyond=True,
        ),
        _claim(found, SAMPLERS, sampler, [(linked("antithetic", PEAK), rand(PEAK))], is_beyond=True),
        _claim(found, SAMPLERS, race, [(LIMIT, RACE)], is_beyond=True),
        _claim(found, LEAVING, leaving, [(LIMIT, LEAVE_ONE_OUT)]),
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
    found: Studies, where: str, text: str, pairs: Iterable[tuple[str, str]], *, is_beyond: bool = False
) -> Claim:
    """Return a claim decided on the tables at hand, with its standard error over tables in the text."""
    leads = found.leads(pairs)
    least = min(leads, key=lambda pair: leads[pair].value)
    # Reported but not decisive: the question is about the tables of the experiment.
    over_tables = found.gains.lead(*least, score="log")
    word = "smallest lead " if len(leads) > 1 else ""
    return Claim(
        where,
        text,
        leads.every(),
        f"{word}{least[0]} less {least[1]}: {signed(*leads[least], 2)} points on these tables; with the "
        f"spread between tables: ± {over_tables.standard_error:.2f}",
        is_beyond,
    )


def _accident(found: Studies) -> Claim:
    """Return the claim that one study of the paper's size cannot tell whether there is a fall.

    Studies are drawn from our results, so that their mean step is the one that we found and carries no
    information of its own. Their spread around it shows what one study can tell.
    """
    drawn, sizes = found.drawn, found.printed_sizes
    peaks = float(np.mean(drawn.argmax(axis=1) == sizes.index(PEAK)))
    step = drawn[:, -1] - drawn[:, sizes.index(PEAK)]
    mean = signed(float(step.mean()), digits=2)
    return Claim(
        FALL,
        f"One study of the paper's size cannot tell whether there is a fall: the step from {PEAK} to "
        f"{sizes[-1]} orderings is shorter than two standard deviations between such studies. What was seen "
        "can be an accident.",
        # A statement about drawn studies without noise of its own: 10,000 draws fix it.
        by_lead(2 * float(step.std()) - abs(float(step.mean()))),
        f"the step is {mean} points on average over {len(drawn):,} studies drawn from ours, with a standard "
        f"deviation of {step.std():.2f}; PREQ-RAND({sizes[-1]}) is below PREQ-RAND({PEAK}) in "
        f"{found.falls:.0%} of them, and would be in 50% if there were no fall; PREQ-RAND({PEAK}) is the "
        f"best of all in {peaks:.0%}",
        is_beyond=True,
    )

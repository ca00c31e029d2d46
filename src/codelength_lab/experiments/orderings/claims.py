"""Claims on the fall after 30 orderings, and on sampling against optimising at equal computing time."""

from collections.abc import Iterable

import numpy as np

from codelength.typing import FloatArray

from ...findings import Claim, ResultTable, Value, signed
from ...verdicts import Verdict, all_of, by_lead
from ..prequential_selection.task import LEAVE_ONE_OUT, best_of, rand
from .studies import PEAK, Studies
from .task import GREEDY, LIMIT, MOVES, RACE, linked, searched

FALL = "section 4.2: the fall after 30 orderings"
CHOICE = "section 5: sampling or optimising"
SAMPLERS = "section 5: more elaborate sampling"
LEAVING = "section 5: leave-one-out"


def claims_of(found: Studies) -> list[Claim]:
    """Return all claims, those on the fall first."""
    return [*_on_the_fall(found), *_on_the_choice(found), *_on_sampling(found)]


def _on_the_fall(found: Studies) -> list[Claim]:
    """Return the claims on the fall after 30 orderings."""
    most = found.printed_sizes[-1]
    return [
        _claim(
            found,
            FALL,
            f"PREQ-RAND({most}) gains less than PREQ-RAND({PEAK}): the fall is real.",
            [(rand(PEAK), rand(most))],
        ),
        _claim(
            found,
            FALL,
            "The mean over all orderings that were drawn gains less than PREQ-RAND(30).",
            [(rand(PEAK), LIMIT)],
            is_beyond=True,
        ),
        _accident(found),
        _claim(found, FALL, f"PREQ-RAND({PEAK}) gains more than PREQ-RAND(1).", [(rand(PEAK), rand(1))]),
    ]


def _on_the_choice(found: Studies) -> list[Claim]:
    """Return the claims on averaging over orderings compared with a search for the best."""
    return [
        _claim(
            found,
            CHOICE,
            "Averaging beats taking the best of as many random orderings, for every number above 1.",
            [(rand(n), best_of(n)) for n in found.sizes if n > 1],
        ),
        _claim(
            found,
            CHOICE,
            "Averaging over 10 orderings beats the greedy ordering, which takes longer.",
            [(rand(10), GREEDY)],
        ),
        _claim(
            found,
            CHOICE,
            "Averaging beats a local search for the best ordering, at equal computing time.",
            [(rand(n), searched(n)) for n in MOVES if n in found.sizes],
            is_beyond=True,
        ),
        _claim(
            found,
            CHOICE,
            "A longer local search gains more than a shorter one.",
            [(searched(400), searched(100))],
            is_beyond=True,
        ),
    ]


def _on_sampling(found: Studies) -> list[Claim]:
    """Return the claims on other samples of orderings, and on leave-one-out."""
    return [
        _claim(
            found,
            SAMPLERS,
            f"{PEAK} antithetic orderings gain more than {PEAK} independent ones.",
            [(linked("antithetic", PEAK), rand(PEAK))],
            is_beyond=True,
        ),
        _claim(
            found,
            SAMPLERS,
            "The mean over all orderings that were drawn gains more than a race along antithetic ones.",
            [(LIMIT, RACE)],
            is_beyond=True,
        ),
        _claim(
            found,
            LEAVING,
            "The mean over all orderings that were drawn gains more than leave-one-out.",
            [(LIMIT, LEAVE_ONE_OUT)],
        ),
    ]


def answers_of(found: Studies) -> ResultTable:
    """Return the questions of the page with the answers of our results."""
    most = found.printed_sizes[-1]
    fall, sampler = found.lead(rand(PEAK), rand(most)), found.lead(linked("antithetic", PEAK), rand(PEAK))
    rows: list[dict[str, Value]] = [
        {
            "question": f"Do {most} orderings choose worse than {PEAK}, on average over samples?",
            "answer": _ANSWERS[by_lead(*fall)],
            "points of log gain": signed(*fall, 2),
        },
        {
            "question": f"How often does a study of the paper's size see {most} below {PEAK}?",
            "answer": f"in {falls_after(found.drawn, found.printed_sizes, PEAK):.0%} of studies drawn from "
            "ours; in 50% if there were no fall",
            "points of log gain": "",
        },
        {
            "question": f"Do {PEAK} antithetic orderings choose better than {PEAK} independent ones?",
            "answer": _ANSWERS[by_lead(*sampler)],
            "points of log gain": signed(*sampler, 2),
        },
    ]
    pairs = {n: [(rand(n), best_of(n)), (rand(n), searched(n))] for n in MOVES if n in found.sizes}
    for n, rivals in pairs.items():
        for ours, other in rivals:
            lead = found.lead(ours, other)
            question = f"In the time of {n} orderings, does averaging choose better than {other}?"
            answer = _ANSWERS[by_lead(*lead)]
            rows.append({"question": question, "answer": answer, "points of log gain": signed(*lead, 2)})
    return ResultTable("answers", "The answers", rows, first=True)


_ANSWERS: dict[Verdict, str] = {
    "held": "yes",
    "not held": "no, the other way round",
    "unsettled": "it cannot be told from noise",
}


def _claim(
    found: Studies, where: str, text: str, pairs: Iterable[tuple[str, str]], *, is_beyond: bool = False
) -> Claim:
    """Return a claim decided on the tables at hand, with its standard error over tables in the text."""
    given = list(pairs)
    leads = {pair: found.lead(*pair) for pair in given}
    least = min(leads, key=lambda pair: leads[pair].value)
    # Reported but not decisive: the question is about the tables of the experiment.
    over_tables = found.gains.lead(*least, "log")
    word = "smallest lead " if len(given) > 1 else ""
    return Claim(
        where,
        text,
        all_of(by_lead(*lead) for lead in leads.values()),
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
    falls = falls_after(drawn, sizes, PEAK)
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
        f"deviation of {step.std():.2f}; PREQ-RAND({sizes[-1]}) is below PREQ-RAND({PEAK}) in {falls:.0%} of "
        f"them, and would be in 50% if there were no fall; PREQ-RAND({PEAK}) is the best of all in "
        f"{peaks:.0%}",
        is_beyond=True,
    )


def falls_after(drawn: FloatArray, sizes: list[int], peak: int) -> float:
    """Return the share of studies in which the last number of orderings gains less than a smaller one.

    Parameters
    ----------
    drawn : array of shape (n_studies, n_sizes)
        Gains of studies.
    sizes : list of int
        Numbers of orderings.
    peak : int
        The smaller number to compare with.

    Examples
    --------
    >>> falls_after(np.array([[1.0, 3.0, 2.0], [1.0, 2.0, 3.0]]), [1, 30, 100], 30)
    0.5
    """
    return float(np.mean(drawn[:, -1] < drawn[:, sizes.index(peak)]))

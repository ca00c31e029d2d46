"""Claims of the paper, tested on our results, then the same with more rows.

Standard errors on one table are over random samples of its rows. All methods use the same samples, so that
leads are paired. ``claims_of`` lists the groups of claims in the order of the paper.
"""

import math
from collections.abc import Sequence

import numpy as np

from codelength.scores.means import Mean, mean_of
from codelength.typing import FloatArray

from ..claims import Claim, Leads, Verdict, all_of, apart, by_lead, by_sample, most_of, signed
from ..published import claim_of, published
from .clustering_sums import AT_BEST, AT_EM
from .sc_approximations import FOCUS, KEY, ROWS_OF_FIGURE_1, Collected, K

EM = ("LN", "C-S", "BIC", "AIC")


def claims_of(collected: Collected) -> list[Claim]:
    """Return all claims."""
    return [
        *_term_claims(collected),
        _growth_claim(collected),
        *_solution_claims(collected),
        *_ranking_claims(collected),
        *_selection_claims(collected),
        *_conclusions(collected),
        *_further(collected),
    ]


def _term_claims(collected: Collected) -> list[Claim]:
    """Return the claims of Figure 1: few terms make up most of the sum."""
    said = published(KEY)["claims"]["few_terms"]
    needed = {
        name: collected.needed(name, ROWS_OF_FIGURE_1, said["share_of_sum"]) for name in collected.names
    }
    shares = Leads({name: mean_of(1 / float(K**ROWS_OF_FIGURE_1) * own) for name, own in needed.items()})
    ahead = shares.changed(lambda share: said["share_of_terms"] - share)
    others = [name for name in shares if name != "diabetes"]
    most = max(others, key=lambda name: shares[name].value)
    told = ", ".join(f"{name} {_p(share)}" for name, share in shares.items())
    n_ahead = sum(lead.value > 0 for lead in ahead.values())
    few = f"on {n_ahead} of {len(shares)}; terms for 90 % of the sum: {told}"
    top = f"diabetes {_p(shares['diabetes'])}; the next is {most} with {_p(shares[most])}"
    behind = all_of(by_lead(*apart(shares["diabetes"], shares[name])) for name in others)
    return [claim_of(KEY, "few_terms", ahead.most(), few), claim_of(KEY, "diabetes", behind, top)]


def _p(share: Mean) -> str:
    return f"{100 * share.value:.1f} ± {100 * share.standard_error:.1f} %"


def _growth_claim(collected: Collected) -> Claim:
    """Return the claim of Figure 2: the number of terms needed grows slowly with the rows."""
    sizes = [n for n in collected.term_sizes(FOCUS) if 5 <= n <= 10]
    first, last = sizes[0], sizes[-1]
    clusterings = K ** (last - first)
    needed = {
        level: [mean_of(collected.needed(FOCUS, n, level)) for n in (first, last)] for level in (0.90, 0.99)
    }
    # Less than the square root, written as a lead that by_lead can decide.
    root = clusterings**0.5
    leads = [apart(Mean(root * few.value, root * few.standard_error), many) for few, many in needed.values()]
    growth = {level: many.value / few.value for level, (few, many) in needed.items()}
    return claim_of(
        KEY,
        "slow_growth",
        all_of(by_lead(*lead) for lead in leads),
        f"from {first} to {last} rows clusterings grow {clusterings}-fold, the terms needed "
        + " and ".join(f"{factor:.1f}-fold ({level:.0%})" for level, factor in growth.items())
        + f", to {needed[0.90][1].value:.0f} and {needed[0.99][1].value:.0f} of {K**last:,}",
    )


def _solution_claims(collected: Collected) -> list[Claim]:
    """Return the claims of Figure 3: the worst tenth of all clusterings against the best."""
    made = []
    for n_best, word, short in (
        (None, "in the most probable tenth", "that in the most probable tenth"),
        (1, "at the most probable clustering", "that at the most probable"),
    ):
        ratios = _log_ratios(collected, n_best)
        told = [f"{method} {_ratio(mean_of(np.array(own)))}" for method, own in ratios.items()]
        figures = (
            f"error in the least probable tenth over {short}, geometric mean over tables and samples "
            f"(and two standard errors either way): {', '.join(told)}"
        )
        verdict = all_of(by_sample(own) for own in ratios.values())
        made.append(claim_of(KEY, "poor_solutions", verdict, figures, word=word))
    return made


def _log_ratios(collected: Collected, n_best: int | None) -> dict[str, list[float]]:
    """Return the log ratio of errors in the worst and the best clusterings, by method and sample."""
    ratios: dict[str, list[float]] = {}
    for sample in (sample for samples in collected.solutions.values() for sample in samples):
        # Clusterings are in ascending order of their posterior probability.
        tenth = len(sample["log_posterior"]) // 10
        for method, lengths in sample["lengths"].items():
            errors = np.abs(np.array(lengths) - sample["exact"])
            ratio = errors[:tenth].mean() / errors[-(n_best or tenth) :].mean()
            ratios.setdefault(method, []).append(float(np.log(ratio)))
    return ratios


def _ratio(log: Mean) -> str:
    low, high = (math.exp(log.value + sign * 2 * log.standard_error) for sign in (-1, 1))
    return f"{math.exp(log.value):.1f} ({low:.1f} to {high:.1f})"


def _ranking_claims(collected: Collected) -> list[Claim]:
    """Return the claims on the order of the methods with 10 rows, on one table and on all."""
    # The paper shows one table; the claim is tested on that one and on all.
    places = {"On Hepatitis": [FOCUS], "On every table": collected.tables_with(10)}
    return [
        _ranking(collected, "ranking", names, 10, [f"{name}{stars}" for name in EM], place=place, word=word)
        for stars, word in (("", "at the ends of EM"), ("*", "at the best clustering"))
        for place, names in places.items()
    ]


def _further(collected: Collected) -> list[Claim]:
    """Return the claims on the ranking with more rows than in the paper, table by table."""
    return [
        _ranking(collected, "ranking_further", collected.tables_with(n), n, methods, word=word)
        for n in collected.sizes(K)
        if n >= 20
        for methods, word in ((EM, "at the ends of EM"), (AT_BEST, "at the best clustering"))
    ]


def _ranking(
    collected: Collected, claim: str, names: list[str], n_rows: int, methods: Sequence[str], **words: str
) -> Claim:
    """Return the claim on the order of the methods; from 20 rows on it is beyond the paper."""
    ranked = [
        _in_order([np.abs(collected.errors(name, n_rows, method)) for method in methods]) for name in names
    ]
    is_beyond = n_rows >= 20
    # The soft variant of Cheeseman-Stutz is reported, but is not part of the ranking.
    shown = AT_EM if is_beyond and methods == EM else methods
    figures = _listed(collected, names, n_rows, shown) + _count(names, ranked)
    return claim_of(KEY, claim, all_of(ranked), figures, is_beyond=is_beyond, n_rows=n_rows, **words)


def _in_order(errors: list[FloatArray]) -> Verdict:
    """Return the verdict on the claim that the first errors are smallest, then the second."""
    near, completed, *others = errors
    return all_of([by_sample(completed - near), *(by_sample(other - completed) for other in others)])


def _listed(collected: Collected, names: list[str], n_rows: int, methods: Sequence[str]) -> str:
    errors = {method: collected.mean_error(names, n_rows, method) for method in methods}
    return "mean absolute error in nats: " + ", ".join(f"{name} {x:.1f}" for name, x in errors.items())


def _count(names: list[str], ranked: list[Verdict]) -> str:
    """Describe the number of tables on which a claim holds, and the others."""
    if len(ranked) == 1:
        return ""
    text = f"; on {ranked.count('held')} of {len(ranked)} tables"
    for verdict, word in (("unsettled", "unsettled on"), ("not held", "not on")):
        others = [name for name, own in zip(names, ranked, strict=True) if own == verdict]
        text += f", {word} {', '.join(others)}" if others else ""
    return text


def _selection_claims(collected: Collected) -> list[Claim]:
    """Return the claims of Figure 4: code lengths by the number of components."""
    names = [name for name in collected.names if len(collected.components(name, 6)) > 1]
    errors = {name: {method: _over_components(collected, name, method) for method in EM} for name in names}
    ranked = [_in_order(list(own.values())) for own in errors.values()]
    means = {method: float(np.mean([own[method].mean() for own in errors.values()])) for method in EM}
    # One value per table, because the claim is about an average over tables.
    gaps = np.array([_gap(collected, name) for name in names])
    quarters = [np.array([own[method].mean() for own in errors.values()]) / 4 for method in ("BIC", "AIC")]
    listed = ", ".join(f"{method} {x:.1f}" for method, x in means.items())
    apart_by = (
        f"{gaps.mean():.1f} nats apart on average; errors {means['BIC']:.1f} and {means['AIC']:.1f}, "
        f"quarters less the gap {' and '.join(signed(*mean_of(own - gaps), 1) for own in quarters)}"
    )
    selection = f"mean absolute error in nats: {listed}{_count(names, ranked)}"
    alike = all_of(by_sample(quarter - gaps) for quarter in quarters)
    return [
        claim_of(KEY, "selection", all_of(ranked), selection),
        claim_of(KEY, "alike", alike, apart_by),
    ]


def _over_components(collected: Collected, name: str, method: str) -> FloatArray:
    """Return absolute errors of the samples of 6 rows, as means over the numbers of components."""
    parts = [np.abs(collected.errors(name, 6, method, k)) for k in collected.components(name, 6)]
    return np.asarray(np.mean(parts, axis=0))


def _gap(collected: Collected, name: str) -> float:
    """Return the mean distance between BIC and AIC with 6 rows."""
    own = collected.lengths.at(table=name, rows=6)
    gaps = [own.gains("AIC", "BIC", components=k) for k in collected.components(name, 6)]
    return float(np.abs(gaps).mean())


def _conclusions(collected: Collected) -> list[Claim]:
    """Return the claims of section 5: few local optima carry most of the sum."""
    names = collected.tables_with(10)
    # LN+* is a lower bound of the sum: the exponential of its error is the share of the sum that it holds.
    masses = [np.exp(-collected.errors(name, 10, "LN+*")) for name in names]
    better = [
        by_sample(np.abs(collected.errors(name, 10, "LN")) - np.abs(collected.errors(name, 10, "LN+")))
        for name in names
    ]
    held = most_of(by_sample(own - 0.5) for own in masses)
    shares = ", ".join(f"{name} {own.mean():.0%}" for name, own in zip(names, masses, strict=True))
    errors = _listed(collected, names, 10, ["LN", "LN+", "LN*", "LN+*"])
    return [
        claim_of(KEY, "local_optima", held, f"share of the sum: {shares}"),
        claim_of(KEY, "several", all_of(better), errors + _count(names, better)),
    ]

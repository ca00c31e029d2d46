"""What the paper says in words, held to our figures; then the same further on."""

import numpy as np

from ...findings import Claim
from ...published import published
from .collected import Collected
from .methods import AT_BEST, AT_EM
from .tasks import needed_share

KEY = "sc-approximations"
FOCUS = "hepatitis"
K = 3
EM = ("LN", "C-S", "BIC", "AIC")


def claims_of(collected: Collected) -> list[Claim]:
    """All claims."""
    return [
        *_term_claims(collected),
        _growth_claim(collected),
        _solution_claim(collected),
        *_ranking_claims(collected),
        *_selection_claims(collected),
        *_conclusions(collected),
        *_further(collected),
    ]


def _where(name: str) -> str:
    return str(published(KEY)["claims"][name]["where"])


def _term_claims(collected: Collected) -> list[Claim]:
    said = published(KEY)["claims"]["few_terms"]
    shares = {
        name: needed_share(1, 7) * float(collected.needed(name, 7, said["share_of_sum"]).mean())
        for name in collected.names
    }
    few = sum(share < said["share_of_terms"] for share in shares.values())
    most = max(shares, key=lambda name: shares[name])
    figures = "terms for 90 % of the sum: " + ", ".join(f"{name} {x:.1%}" for name, x in shares.items())
    return [
        Claim(
            said["where"],
            "With 7 rows and K = 3, the largest tenth of the terms makes up 90 % of the sum on most tables.",
            few > len(shares) / 2,
            f"on {few} of {len(shares)}; {figures}",
        ),
        Claim(
            said["where"],
            "Diabetes needs a larger share of the terms than any other table.",
            most == "diabetes",
            f"largest: {most} {shares[most]:.1%}; diabetes {shares['diabetes']:.1%}",
        ),
    ]


def _growth_claim(collected: Collected) -> Claim:
    sizes = [n for n in collected.term_sizes(FOCUS) if 5 <= n <= 10]
    first, last = sizes[0], sizes[-1]
    growth = {
        level: collected.needed(FOCUS, last, level).mean() / collected.needed(FOCUS, first, level).mean()
        for level in (0.90, 0.99)
    }
    clusterings = K ** (last - first)
    return Claim(
        _where("slow_growth"),
        "On Hepatitis the terms needed for 90 and 99 % of the sum grow with less than the square root of the "
        "number of clusterings.",
        all(factor < clusterings**0.5 for factor in growth.values()),
        f"from {first} to {last} rows clusterings grow {clusterings}-fold, the terms needed "
        + " and ".join(f"{factor:.1f}-fold ({level:.0%})" for level, factor in growth.items())
        + f", to {collected.needed(FOCUS, last, 0.90).mean():.0f} and "
        f"{collected.needed(FOCUS, last, 0.99).mean():.0f} of {K**last:,}",
    )


def _solution_claim(collected: Collected) -> Claim:
    """The best tenth of all clusterings against the worst tenth."""
    ratios: dict[str, list[float]] = {}
    for samples in collected.solutions().values():
        for sample in samples:
            tenth = len(sample["log_posterior"]) // 10
            for method, lengths in sample["lengths"].items():
                errors = np.abs(np.array(lengths) - sample["exact"])
                ratios.setdefault(method, []).append(errors[:tenth].mean() / errors[-tenth:].mean())
    typical = {method: float(np.median(values)) for method, values in ratios.items()}
    return Claim(
        _where("poor_solutions"),
        "Every method errs more at clusterings of low than of high posterior probability.",
        all(ratio > 1 for ratio in typical.values()),
        "error in the least probable tenth over that in the most probable, median over samples: "
        + ", ".join(f"{method} {ratio:.1f}" for method, ratio in typical.items()),
    )


def _ranking_claims(collected: Collected) -> list[Claim]:
    made = []
    for stars, word in (("", "at the ends of EM"), ("*", "at the best clustering")):
        methods = [f"{name}{stars}" for name in EM]
        for names, place in (([FOCUS], "On Hepatitis"), (collected.tables_with(10, K), "On every table")):
            ranked = [_in_order(collected, name, 10, K, methods) for name in names]
            made.append(
                Claim(
                    _where("ranking"),
                    f"{place}, with 10 rows and K = 3, LN errs least {word}, then C-S, then BIC and AIC.",
                    all(ranked),
                    _listed(collected, names, 10, methods) + _count(names, ranked),
                )
            )
    return made


def _count(names: list[str], ranked: list[bool]) -> str:
    """On how many tables something holds, and on which it does not."""
    if len(ranked) == 1:
        return ""
    others = [name for name, holds in zip(names, ranked, strict=True) if not holds]
    return f"; on {sum(ranked)} of {len(ranked)} tables" + (f", not {', '.join(others)}" if others else "")


def _in_order(collected: Collected, name: str, n_rows: int, k: int, methods: list[str]) -> bool:
    near, completed, *others = (collected.mean_error([name], n_rows, k, method) for method in methods)
    return near < completed < min(others)


def _listed(collected: Collected, names: list[str], n_rows: int, methods: list[str]) -> str:
    errors = {method: collected.mean_error(names, n_rows, K, method) for method in methods}
    return "mean absolute error in nats: " + ", ".join(f"{name} {x:.1f}" for name, x in errors.items())


def _selection_claims(collected: Collected) -> list[Claim]:
    names = [name for name in collected.names if len(collected.components(name, 6)) > 1]
    errors = {
        name: {
            method: float(
                np.mean([collected.mean_error([name], 6, k, method) for k in collected.components(name, 6)])
            )
            for method in EM
        }
        for name in names
    }
    ranked = [own["LN"] < own["C-S"] < min(own["BIC"], own["AIC"]) for own in errors.values()]
    means = {method: float(np.mean([own[method] for own in errors.values()])) for method in EM}
    gap = float(
        np.mean(
            [
                np.abs(collected.errors(n, 6, k, "AIC") - collected.errors(n, 6, k, "BIC")).mean()
                for n in names
                for k in collected.components(n, 6)
            ]
        )
    )
    where = _where("selection")
    return [
        Claim(
            where,
            "With 6 rows and K = 1 to 6, LN follows the exact code length best, then C-S, then BIC and AIC, "
            "on every table.",
            all(ranked),
            "mean absolute error in nats: "
            + ", ".join(f"{method} {x:.1f}" for method, x in means.items())
            + _count(names, ranked),
        ),
        Claim(
            where,
            "With 6 rows, BIC and AIC are alike: apart by less than a quarter of the error of either.",
            gap < min(means["BIC"], means["AIC"]) / 4,
            f"{gap:.1f} nats apart on average; errors {means['BIC']:.1f} and {means['AIC']:.1f}",
        ),
    ]


def _conclusions(collected: Collected) -> list[Claim]:
    names = collected.tables_with(10, K)
    masses = [float(np.exp(-collected.errors(name, 10, K, "LN+*")).mean()) for name in names]
    better = [
        collected.mean_error([name], 10, K, "LN+") < collected.mean_error([name], 10, K, "LN")
        for name in names
    ]
    return [
        Claim(
            "section 5",
            "Most of the sum lies near few local optima: with 10 rows, the neighbourhoods of those that 20 "
            "climbs find, under all names of the components, hold more than half of it on most tables.",
            sum(mass > 0.5 for mass in masses) > len(masses) / 2,
            "share of the sum: " + ", ".join(f"{n} {x:.0%}" for n, x in zip(names, masses, strict=True)),
        ),
        Claim(
            "section 5",
            "Summing over several neighbourhoods (LN+) improves on one (LN) on every table.",
            all(better),
            _listed(collected, names, 10, ["LN", "LN+", "LN*", "LN+*"]) + _count(names, better),
        ),
    ]


def _further(collected: Collected) -> list[Claim]:
    """The ranking where the paper could not look, table by table."""
    made = []
    for n_rows in (size for size in collected.sizes(K) if size >= 20):
        names = collected.tables_with(n_rows, K)
        for methods, word in ((EM, "at the ends of EM"), (AT_BEST, "at the best clustering")):
            ranked = [_in_order(collected, name, n_rows, K, list(methods)) for name in names]
            shown = AT_EM if methods == EM else AT_BEST
            made.append(
                Claim(
                    f"beyond the paper, {n_rows} rows",
                    f"The ranking LN, C-S, then BIC and AIC {word} still holds on every table, K = 3.",
                    all(ranked),
                    _listed(collected, names, n_rows, list(shown)) + _count(names, ranked),
                )
            )
    return made

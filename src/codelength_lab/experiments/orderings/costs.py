"""Costs of the criteria, in random orderings of the same rows.

Ratios of processor times, means over the 14 tables, which ``python -m benchmarks orderings`` measures in one
run. They vary by about a third between tables: greedy orderings take relatively longer with more rows.
"""

from ..prequential_selection.task import best_of, rand
from .task import BEYOND, GREEDY, LINKED, PRINTED, linked, own, searched

GREEDY_COST = 15.0
SEARCH_COSTS = {100: 100.0, 400: 400.0}

COSTS: dict[str, float] = {
    **{name(n): float(n) for n in (*PRINTED, *BEYOND) for name in (rand, own, best_of)},
    **{linked(scheme, n): float(n) for scheme, sizes in LINKED.items() for n in sizes},
    GREEDY: GREEDY_COST,
    **{searched(n): cost for n, cost in SEARCH_COSTS.items()},
}
"""Costs by the name of the criterion."""

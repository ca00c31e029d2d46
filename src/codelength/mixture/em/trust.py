"""Summary of many runs of EM, which is kept when the runs are not."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from ..._display import counted
from ...errors import DataError
from ...table.checks import check_flag, check_number, check_whole, reading
from .restarts import SAME, RestartsInfo


@dataclass(frozen=True, slots=True)
class SearchSummary:
    """Summary of the restarts: how often the best solution was found.

    Attributes
    ----------
    n_starts : int
        Number of starts.
    n_reached : int
        Starts that ended at the best solution: within ``tolerance`` of its log posterior.
    reached : int
        Requested number of them; starts were added until then, or up to ``max_init``.
    max_init : int
        Maximum number of starts.
    tolerance : float
        Difference, in nats, up to which two ends are the same solution.
    log_likelihood : float
        Log-likelihood of the best solution.
    next_best : float or None
        Log-likelihood of the best other solution; None if all starts ended at the best.
    n_iter : int
        Iterations of the best run.
    n_unconverged : int
        Runs that used up their iterations.
    converged : bool
        Whether the best run converged.
    """

    n_starts: int
    n_reached: int
    reached: int
    max_init: int
    tolerance: float
    log_likelihood: float
    next_best: float | None
    n_iter: int
    n_unconverged: int
    converged: bool

    @classmethod
    def of(cls, restarts: RestartsInfo) -> Self:
        """Summarise some runs."""
        best, next_best = restarts.runs[restarts.best], restarts.next_best
        return cls(
            len(restarts.runs),
            restarts.n_reached,
            restarts.reached,
            restarts.max_init,
            SAME,
            best.log_likelihood,
            None if next_best is None else next_best.log_likelihood,
            best.n_iter,
            sum(not run.converged for run in restarts.runs),
            best.converged,
        )

    @property
    def is_enough(self) -> bool:
        """True if the best solution was found as often as requested, or by all of fewer starts."""
        return self.n_reached >= min(self.reached, self.n_starts)

    def facts(self) -> list[tuple[str, str]]:
        """Return the summary for printing."""
        within = f"(log posterior within {self.tolerance:g})"
        why = f"asked for at least {self.reached}"
        if not self.is_enough:
            why += f", stopped at {counted(self.n_starts, 'start')}: raise max_init, or take fewer classes"
        found = f"{self.n_reached} of {self.n_starts} {within}; {why}"
        if self.n_starts == 1:
            found = "one start, which is enough for one class; several tell how far to trust more"
        other = "none: all starts ended at the best" if self.next_best is None else f"{self.next_best:.4f}"
        converged = "all runs" if not self.n_unconverged else f"all but {self.n_unconverged} runs"
        if not self.converged:
            converged = (
                f"not the best run; {self.n_unconverged} of {self.n_starts} runs did not: raise max_iter"
            )
        return [
            ("starts that reached the best", found),
            ("log-likelihood", f"{self.log_likelihood:.4f}"),
            ("next best log-likelihood", other),
            ("iterations of the best run", str(self.n_iter)),
            ("converged", converged),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON types."""
        return asdict(self)

    @classmethod
    @reading("SearchSummary")
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read a summary that :meth:`to_json` wrote, and check it."""
        next_best, log_likelihood = document["next_best"], document["log_likelihood"]
        if not all(isinstance(number, (int, float)) for number in (next_best or 0.0, log_likelihood)):
            raise DataError("the log-likelihoods of the runs are no numbers")
        return cls(
            check_whole("n_starts", document["n_starts"]),
            check_whole("n_reached", document["n_reached"], 0),
            check_whole("reached", document["reached"], 0),
            check_whole("max_init", document["max_init"]),
            check_number("tolerance", document["tolerance"]),
            float(log_likelihood),
            None if next_best is None else float(next_best),
            check_whole("n_iter", document["n_iter"], 0),
            check_whole("n_unconverged", document["n_unconverged"], 0),
            check_flag("converged", document["converged"]),
        )

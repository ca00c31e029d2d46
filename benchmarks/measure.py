"""How things are timed: peer and own by turns in one process, and the median of the ratios."""

import gc
import json
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Ratio:
    """One line of the report: how many times better we are than a peer, and what was wanted."""

    what: str
    peer: str
    peer_figure: float
    own_figure: float
    unit: str
    ratio: float
    goal: str
    met: bool


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of all threads of one call."""
    gc.collect()
    before = time.process_time()
    work()
    return time.process_time() - before


def wall_seconds(work: Callable[[], object]) -> float:
    """Elapsed time of one call, the best of five in a row: a sleeping core takes a while to wake up."""
    gc.collect()
    best = float("inf")
    for _ in range(5):
        before = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - before)
    return best


def compare(
    what: str,
    peer: tuple[str, Callable[[], object]],
    own: Callable[[], object],
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    rounds: int = 5,
    clock: Callable[[Callable[[], object]], float] = cpu_seconds,
) -> Ratio:
    """Time the peer and our own form by turns; the ratio is peer over own, unless a ceiling is asked.

    With ``at_most`` the ratio is own over peer: how many times more we take than a bound such as reading
    the bytes.
    """
    name, work = peer
    own()  # compiles the kernels
    pairs = [(clock(work), clock(own)) for _ in range(rounds)]
    if at_most is not None:
        ratio = median(mine / theirs for theirs, mine in pairs)
        goal, met = f"at most {at_most:g}", ratio <= at_most
    else:
        ratio = median(theirs / mine for theirs, mine in pairs)
        goal = f"at least {at_least:g}" if at_least else "said"
        met = at_least is None or ratio >= at_least
    theirs, mine = median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
    return Ratio(what, name, theirs, mine, "s", ratio, goal, met)


def peak_megabytes(work: Callable[[], object]) -> float:
    """How far one call raises the process's resident memory above where it stood."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    kept = work()
    peak = _status("VmHWM")
    del kept
    return (peak - before) / 1024


def report(ratios: list[Ratio], name: str) -> None:
    """Print a table and keep it as JSON and Markdown."""
    lines = ["| what | peer | peer | own | ratio | goal | met |", "|---|---|---|---|---|---|---|"]
    for r in ratios:
        figures = f"{r.peer_figure:.4g} {r.unit} | {r.own_figure:.4g} {r.unit}"
        lines.append(f"| {r.what} | {r.peer} | {figures} | {r.ratio:.1f} | {r.goal} | {_verdict(r)} |")
    text = "\n".join(lines)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    machine = {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "ratios": [asdict(r) for r in ratios],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(machine, indent=1) + "\n")
    (RESULTS / f"{name}.md").write_text(text + "\n")


def _verdict(ratio: Ratio) -> str:
    """Whether a goal is met; nothing for a figure that is only said."""
    if ratio.goal.startswith("said"):
        return ""
    return "yes" if ratio.met else "NO"


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1])
    raise RuntimeError(f"no {field} in /proc/self/status")

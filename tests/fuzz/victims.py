"""A program that starts work and kills it with signal 9, over and over; it prints what came of it as JSON.

It forks, because a process that has loaded everything begins to work at once, and has a process of its own,
because one that has threads should not fork.
"""

import json
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

AN_HOUR_AGO = 3700


def main(what: str, directory: str, n_kills: str, seed: str) -> None:
    """Kill saves or reproductions."""
    done = {"save": kill_saves, "reproduce": kill_reproductions}[what](
        Path(directory), int(n_kills), random.Random(seed)
    )
    print(json.dumps(done))


def started(work: Callable[[], Any]) -> int:
    """The number of a process that works in silence."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        code = int(work() or 0)
    except BaseException:
        traceback.print_exc()
    os._exit(code)


def ended(pid: int, seconds: float) -> bool:
    """Whether a process ends by itself within some time; otherwise it is killed."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if (found := os.waitpid(pid, os.WNOHANG))[0]:
            assert found[1] == 0, f"a run that was not killed failed with status {found[1]}"
            return True
        time.sleep(0.0005)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return os.WIFEXITED(status)


def temporary(directory: Path) -> list[Path]:
    """Files that a killed process left behind, as if that was long ago."""
    found = [path for path in directory.rglob("*") if ".codelength-" in path.name]
    for path in found:
        os.utime(path, (time.time() - AN_HOUR_AGO,) * 2)
    return found


def kill_saves(directory: Path, n_kills: int, rng: random.Random) -> dict[str, Any]:
    """Kill a process that saves one model over the other; the file is always one of the two."""
    import numpy as np

    from codelength import NaiveBayes, Schema

    path = directory / "model.json"
    schema = Schema.from_sizes([20] * 60, n_classes=4)
    generator = np.random.default_rng(0)
    models = []
    for _ in range(2):
        rows, classes = generator.integers(0, 20, (50, 60)), generator.integers(0, 4, 50)
        models.append(NaiveBayes(schema=schema).fit(rows, classes))
    contents = []
    for model in models:
        model.save(path)
        contents.append(path.read_bytes())

    def save_for_ever() -> None:
        while True:
            for model in models:
                model.save(path)

    other, left = 0, 0
    for _ in range(n_kills):
        ended(started(save_for_ever), rng.uniform(0, 0.06))
        other += path.read_bytes() not in contents
        left += len(temporary(directory))
    models[0].save(path)
    return {
        "kills": n_kills,
        "other content": other,
        "torn": left,
        "left": sorted(set(os.listdir(directory)) - {path.name}),
    }


def kill_reproductions(directory: Path, n_kills: int, rng: random.Random) -> dict[str, Any]:
    """Kill reproductions and resume them until they end by themselves; the files are those of a whole run."""
    from codelength.cli.app import run
    from codelength_lab.store import FILE_NAME

    def reproduce(place: Path) -> Callable[[], int]:
        call = [
            "reproduce",
            "predictive-inference",
            "--quick",
            "--settings",
            "repeats=1",
            "--jobs",
            "1",
            "-o",
        ]
        return lambda: run([*call, str(place)])

    def written(place: Path) -> dict[str, bytes]:
        return {
            path.name: path.read_bytes()
            for path in place.rglob("*")
            if path.is_file() and path.name != FILE_NAME
        }

    start = time.monotonic()
    assert ended(started(reproduce(directory / "whole")), 600)
    seconds = time.monotonic() - start
    kills, runs, other, torn, left = 0, 0, [], 0, []
    while kills < n_kills:
        place, before, start = directory / str(runs), kills, time.monotonic()
        while not ended(started(reproduce(place)), rng.uniform(0, 0.8 * seconds) if kills < n_kills else 600):
            kills += 1
            torn += len(temporary(place))
        if kills == before:
            # The first run may have been slow, on a busy machine; kills after the end would be none.
            seconds = min(seconds, time.monotonic() - start)
        runs += 1
        found, expected = written(place), written(directory / "whole")
        left += sorted(found.keys() - expected.keys())
        other += [name for name in expected if found.get(name) != expected[name]]
    return {
        "kills": kills,
        "runs": runs,
        "seconds": round(seconds, 1),
        "other content": other,
        "torn": torn,
        "left": left,
    }


if __name__ == "__main__":
    main(*sys.argv[1:])

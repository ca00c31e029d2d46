"""Model files that were changed, signed again or not: a consistent model, or InvalidModelFile."""

import hashlib
import json
import math
import os
import subprocess
import sys
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from codelength import FiniteMixture, MixtureClassifier, ModelAverage, NaiveBayes, Prior, load
from codelength.errors import CodelengthError, InvalidModelFile

from .harness import Fault, attempts, promised
from .test_tables import check_distributions

TABLE = {
    "colour": ["red", "blue", None, "red", "green", "blue", "red", "red"],
    "size": [1.5, 2.5, 3.5, None, 0.5, 9.5, 2.25, 4.75],
    "rooms": [1, 2, 2, 3, 1, 2, 1, 1],
    "flag": [True, False, True, None, True, True, False, False],
}
TARGET = ["yes", "no", "no", "yes", "no", "maybe", "yes", "no"]
WEIGHTS = [1.5, 2.0, 0.5, 1.0, 1.0, 3.0, 1.0, 1.0]

VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        3,
        0.5,
        -0.5,
        1e-320,
        5e-324,
        1e308,
        -1e308,
        1e-300,
        10**9,
        10**18,
        2**64,
    ),
    *(
        10**400,
        "",
        "?",
        "red",
        "category",
        "interval",
        "evidence",
        "map",
        "auto",
        [],
        {},
        [[]],
        [None],
        ["?"],
    ),
    *([0], [1, 2], [[1, 2], [3, 4]], {"a": 1}, {"schema": {}}, {"prior": {}}, math.nan, math.inf, -math.inf),
    *("\ud800", "x" * 10_000, [0] * 1000, -(2**63), 1.5, 20, 255, 256, 65536),
)


def models() -> list[Any]:
    """Small models of all kinds, with options that leave different traces in a file."""
    return [
        NaiveBayes().fit(TABLE, TARGET),
        NaiveBayes("map", 20.0, missing="value").fit(TABLE, TARGET),
        NaiveBayes("stochastic_complexity").fit(TABLE, TARGET, WEIGHTS),
        NaiveBayes("indifferent", numeric="category").fit(TABLE, TARGET),
        NaiveBayes(prior=Prior(1, 0.5), select="evidence").fit(TABLE, TARGET),
        FiniteMixture(2, n_init=2, random_state=0).fit(TABLE),
        FiniteMixture(3, n_init=1, random_state=0, missing="value", max_iter=500).fit(TABLE, None, WEIGHTS),
        MixtureClassifier(candidates=4, n_components=(1, 3), n_orderings=2, random_state=0).fit(
            TABLE, TARGET
        ),
        MixtureClassifier(candidates=3, n_components=2, n_orderings=2, random_state=0, average=True).fit(
            TABLE, TARGET
        ),
        ModelAverage(["trees", "log_ratios", "kernel", "forests"]).fit(TABLE, TARGET),
        ModelAverage(["best_tree", "subsets"]).fit(TABLE, TARGET, WEIGHTS),
    ]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_changed_model_files(tmp_path):
    attempts("model files", ModelFiles(tmp_path), range(600)).check()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_many_changed_model_files(tmp_path):
    attempts("model files", ModelFiles(tmp_path), range(10_000)).check()


class ModelFiles:
    """Change a model file and load it."""

    def __init__(self, directory: Any) -> None:
        self.path, self.again = directory / "model.json", directory / "again.json"
        self.saved = []
        for model in models():
            model.save(self.path)
            self.saved.append((self.path.read_bytes(), load(self.path).predict_proba(TABLE)))

    def __call__(self, rng: Random) -> None:
        content, expected = rng.choice(self.saved)
        is_signed = rng.random() < 0.8
        self.path.write_bytes(forged(rng, content) if is_signed else damaged(rng, content))
        try:
            model = load(self.path)
        except InvalidModelFile as error:
            if str(self.path) not in str(error):
                raise Fault("bad message", f"does not name the file: {error}") from error
            raise
        except CodelengthError as error:
            raise Fault("broken promise", f"{type(error).__name__}: {str(error)[:300]}") from error
        probs = self.check_consistent(model)
        if not is_signed and probs.tobytes() != expected.tobytes():
            raise Fault("silent difference", "a damaged file is taken for another model")

    def check_consistent(self, model: Any) -> Any:
        """Whatever is loaded predicts, tells what it is, and can be saved."""
        names = model.schema_.names
        X = TABLE if set(names) == set(TABLE) else {name: [None, None] for name in names}
        with promised("predict with what was loaded"):
            probs = model.predict_proba(X)
            model.predict(X)
            model.summary()
            json.dumps(model._summary_document(), allow_nan=False)
        check_distributions(probs, (len(next(iter(X.values()), [])), len(model._fitted.outcomes)))
        with promised("save what was loaded"):
            model.save(self.again)
            same = load(self.again).predict_proba(X)
        if same.tobytes() != probs.tobytes():
            raise Fault("silent difference", "saved again, the model predicts otherwise")
        return probs


def signed(document: dict[str, Any]) -> bytes:
    """The document with the checksum of its content."""
    canonical = json.dumps(document["model"], sort_keys=True, separators=(",", ":"))
    document["sha256"] = hashlib.sha256(canonical.encode("ascii")).hexdigest()
    return json.dumps(document).encode()


def forged(rng: Random, content: bytes) -> bytes:
    """A file with some changes, signed."""
    document = json.loads(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change(rng, document["model"])
    return signed(document)


def change(rng: Random, content: Any) -> None:
    """Change one place of a document."""
    place = rng.choice(list(places(content)))
    holder = content
    for step in place[:-1]:
        holder = holder[step]
    key, how = place[-1], rng.random()
    old = holder[key]
    if how < 0.4:
        holder[key] = deepcopy(rng.choice(VALUES))
    elif how < 0.6 and isinstance(old, (int, float)) and not isinstance(old, bool):
        holder[key] = rng.choice(
            (old + 1, old - 1, -old, old * 2, old * 1e-320, old * 1e300, float(old), str(old))
        )
    elif how < 0.7:
        del holder[key]
    elif how < 0.8 and isinstance(holder, list):
        holder.insert(key, deepcopy(old))
    elif how < 0.9 and isinstance(holder, dict):
        holder[rng.choice(("new", "counts", "schema", ""))] = deepcopy(old)
    else:
        other = rng.choice(list(places(content)))
        source = content
        for step in other:
            source = source[step]
        holder[key] = deepcopy(source)


def places(content: Any, before: tuple[Any, ...] = ()) -> Any:
    """All places in a document."""
    items = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    for key, value in items:
        yield (*before, key)
        yield from places(value, (*before, key))


def damaged(rng: Random, content: bytes) -> bytes:
    """A file with some bytes changed, cut off, doubled or lost."""
    at, to = sorted(rng.sample(range(len(content)), 2))
    return rng.choice(
        (
            content[:at],
            content[:at] + content[to:],
            content[:to] + content[at:],
            content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :],
            content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :],
            content[:at] + b" " + content[at:],
            content.replace(
                b'"version": 3', rng.choice((b'"version": 4', b'"version": true', b'"version": 1e99'))
            ),
            b"\xef\xbb\xbf" + content,
            content + content,
            b"[" * 100_000,
            b"1" * 10_000,
            b"",
            b"\x00" * 1000,
        )
    )


LITTLE_MEMORY = """
import resource, sys
from codelength import load
from codelength.errors import InvalidModelFile
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
for path in sys.argv[1:]:
    try:
        load(path)
        print("loaded", path)
    except InvalidModelFile as error:
        print("refused", len(str(error)))
"""


def test_sizes_that_cannot_be_are_refused_in_little_memory(tmp_path):
    """A file says of itself that it is huge, or has no end; one process tries them all."""
    pytest.importorskip("resource")
    paths = ["/dev/zero", tmp_path / "fifo", tmp_path / "sparse.json"]
    os.mkfifo(paths[1])
    with paths[2].open("wb") as file:
        file.truncate(1 << 40)
    for i, (model, place) in enumerate(hugest()):
        model.save(tmp_path / "model.json")
        document = json.loads((tmp_path / "model.json").read_bytes())
        holder = document["model"]
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = 10**9
        paths.append(tmp_path / f"{i}.json")
        paths[-1].write_bytes(signed(document))
    command = [sys.executable, "-c", LITTLE_MEMORY, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    refused = [line for line in done.stdout.splitlines() if line.startswith("refused")]
    assert len(refused) >= 3, done.stdout
    assert len(done.stdout.splitlines()) == len(paths)


def hugest() -> list[tuple[Any, tuple[Any, ...]]]:
    """Models, and every number in their files that could be a size."""
    found = []
    for model in models()[::2]:
        for place in places(model._fitted.to_document()):
            value = model._fitted.to_document()
            for step in place:
                value = value[step]
            if isinstance(value, int) and not isinstance(value, bool):
                found.append((model, place))
    return found[:: max(1, len(found) // 60)]

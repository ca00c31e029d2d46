"""The same models on every machine.

Processors differ in how many numbers they add at once, and libraries have a routine for each of them, so sums
differ in their last digits. Here models are fitted in child processes that use the routines of other
processors. Results agree to nine digits, and labels and choices exactly.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

import machine_results

TABLES = ("zoo", "breast-cancer", "heart-statlog", "hepatitis", "lymphography", "glass", "vote", "iris")


def without(*features):
    """Settings under which numpy does without some features of the processor."""
    left_out = [name for name in __cpu_dispatch__ if name.startswith(features) and __cpu_features__[name]]
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(left_out)}


def threads(number):
    names = ("CODELENGTH_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
    return dict.fromkeys(names, str(number))


OLD = {
    **without("AVX", "FMA", "X86_V3", "X86_V4"),
    "OPENBLAS_CORETYPE": "Sandybridge",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4",
}
"""As little as can be had of numpy, of linear algebra and of the elementary functions."""

SETTINGS = {
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Sandybridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "Zen": {"OPENBLAS_CORETYPE": "Zen"},
    "no AVX-512": without("AVX512", "X86_V4"),
    "no AVX2": without("AVX", "FMA", "X86_V3", "X86_V4"),
    "old": OLD,
    "old, compiled": {**OLD, "NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": ""},
}


def results(out, parts, tables, settings):
    """What a child process finds under some settings."""
    paths = [path for path in sys.path if path]
    subprocess.run(
        [sys.executable, machine_results.__file__, str(out), ",".join(parts), ",".join(tables)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **settings},
        check=True,
    )
    with np.load(out) as found:
        return dict(found)


def differences(found, expected):
    """Names of the results that differ, with how much they do."""
    assert list(found) == list(expected)
    worst = {}
    for name, one in expected.items():
        other = found[name]
        if one.shape != other.shape or (one.dtype.kind != "f" and not np.array_equal(one, other)):
            worst[name] = "another choice"
        elif one.dtype.kind == "f":
            distance = np.abs(one - other) / np.maximum(np.abs(one), 1.0)
            if one.size and not distance.max() <= 1e-9:
                worst[name] = float(distance.max())
    return worst


def test_two_machines_give_the_same_models(tmp_path):
    parts, tables = tuple(machine_results.PARTS), ("iris", "hepatitis")
    own = results(tmp_path / "own.npz", parts, tables, threads(2))
    old = results(tmp_path / "old.npz", parts, tables, {**OLD, **threads(1)})
    assert len(own) > 50
    assert differences(old, own) == {}


@pytest.fixture(scope="module")
def own_results(tmp_path_factory):
    out = Path(tmp_path_factory.mktemp("machines")) / "own.npz"
    return results(out, tuple(machine_results.PARTS), TABLES, threads(1))


@pytest.mark.long
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("setting", SETTINGS)
def test_all_machines_give_the_same_models(setting, n_threads, own_results, tmp_path):
    if setting == "SkylakeX" and not any(
        name.startswith("AVX512") for name, has in __cpu_features__.items() if has
    ):
        pytest.skip("the processor has no AVX-512")
    settings = {**SETTINGS[setting], **threads(n_threads)}
    found = results(tmp_path / "found.npz", tuple(machine_results.PARTS), TABLES, settings)
    assert differences(found, own_results) == {}

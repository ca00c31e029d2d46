"""What the processes of a server may take together."""

import pytest

from codelength.serve import limits
from codelength.serve.limits import GIB, MIB, Limits


@pytest.mark.parametrize("n_processors", [1, 2, 8, 64])
@pytest.mark.parametrize("memory", [6, 12, 24, 96])
def test_all_processes_together_keep_to_the_memory(monkeypatch, memory, n_processors):
    monkeypatch.setattr(limits, "_memory", lambda: memory * GIB)
    monkeypatch.setattr("os.cpu_count", lambda: n_processors)
    found = Limits.of_this_machine(10 * MIB)
    together = found.looking * found.look_memory_bytes + found.working * found.read.memory_bytes
    assert together <= memory * GIB
    assert found.working >= 1
    assert found.read.memory_bytes >= 4 * GIB  # less than this, and libraries cannot be loaded


def test_a_small_machine_does_one_thing_at_a_time(monkeypatch):
    monkeypatch.setattr(limits, "_memory", lambda: GIB)
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    found = Limits.of_this_machine(10 * MIB)
    assert (found.looking, found.working) == (1, 1)


def test_a_look_has_its_own_share(state):
    assert state.looks._limits["memory_bytes"] == state.limits.look_memory_bytes
    assert state.jobs._limits["memory_bytes"] == state.limits.read.memory_bytes

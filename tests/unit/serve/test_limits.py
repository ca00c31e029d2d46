"""What the processes of a server may take together."""

import pytest

from codelength.serve import limits
from codelength.serve.limits import GIB, MIB, Limits
from codelength.serve.worker import system_limits


@pytest.mark.parametrize("n_processors", [1, 2, 8, 64])
@pytest.mark.parametrize("memory", [6, 12, 24, 96])
def test_all_processes_together_keep_to_the_memory(monkeypatch, memory, n_processors):
    monkeypatch.setattr(limits, "_memory", lambda: memory * GIB)
    monkeypatch.setattr("os.cpu_count", lambda: n_processors)
    found = Limits.of_this_machine(10 * MIB)
    together = found.looking * found.look_bytes + found.working * found.work_bytes
    assert together <= memory * GIB
    assert found.working >= 1
    assert found.work_bytes >= 4 * GIB  # less than this, and libraries cannot be loaded


def test_a_small_machine_does_one_thing_at_a_time(monkeypatch):
    monkeypatch.setattr(limits, "_memory", lambda: GIB)
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    found = Limits.of_this_machine(10 * MIB)
    assert (found.looking, found.working) == (1, 1)


def test_a_look_has_its_own_share():
    given = Limits(look_bytes=2 * GIB, work_bytes=8 * GIB)
    assert system_limits(given, is_look=True)["RLIMIT_AS"] == 2 * GIB
    assert system_limits(given, is_look=False)["RLIMIT_AS"] == 8 * GIB

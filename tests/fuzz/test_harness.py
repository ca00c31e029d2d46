"""The harness of the fuzz tests ends what does not end, and leaves foreign code alone."""

import time

import pytest

from .harness import Hang, in_time

BUSY = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\n"


def forever():
    while True:
        pass


def test_code_without_end_is_ended():
    with pytest.raises(Hang, match="processor time"), in_time(0.2):
        forever()


def test_waiting_takes_no_processor_time():
    start = time.process_time()
    with in_time(0.2):
        time.sleep(0.5)
    assert time.process_time() - start < 0.2


def test_other_programs_may_take_the_processor():
    """A limit of 0.02 s once ended the process after 0.4 s by the clock, as any wait on a busy machine."""
    with in_time(0.02):
        time.sleep(1)


def test_foreign_code_is_not_interrupted():
    """Code that compiles has to reach its end; what follows in our own code is interrupted."""
    foreign = compile(BUSY.format(0.6), "/somewhere/site-packages/llvmlite/linker.py", "exec")
    done = []

    def ours():
        exec(foreign, {})
        done.append("foreign")
        forever()

    with pytest.raises(Hang), in_time(0.2):
        ours()
    assert done == ["foreign"]


def test_the_limit_ends_with_the_block():
    with in_time(0.2):
        pass
    end = time.process_time() + 0.4
    while time.process_time() < end:
        pass
    assert time.process_time() >= end

"""Members end at their next unit of work if nobody waits for them any more."""

from concurrent.futures import CancelledError
from contextvars import copy_context
from threading import Event

import numpy as np
import pytest

from codelength import _threads
from codelength.averages.registry import MEMBERS
from unit.averages.forest_tables import training_of


@pytest.mark.parametrize("name", sorted(set(MEMBERS) - {"subsets"}))
def test_a_member_ends_at_its_next_unit_of_work(name):
    """Of subsets there is a closed form, which takes no time."""
    rng = np.random.default_rng(0)
    training = training_of(rng.integers(0, 3, (60, 4)), rng.integers(0, 2, 60), [3] * 4, 2)
    interrupted = Event()
    interrupted.set()

    def fit():
        _threads._interrupted.set(interrupted)
        MEMBERS[name].fit(training)

    with pytest.raises(CancelledError):
        copy_context().run(fit)

"""Pages may enter things in registries; they are gone after the page."""

from importlib.util import find_spec

import pytest

# The page about a table lists the rules when it is first imported: before a page adds one.
import codelength.reporting.analyse  # noqa: F401
from codelength.averages.members import MEMBERS
from codelength.cli.app import app
from codelength.estimators import MODELS
from codelength.mixture.code_length import CRITERIA
from codelength.naive_bayes import RULES
from codelength.plot import KINDS
from codelength_lab import EXPERIMENTS


@pytest.fixture(autouse=True)
def _registries_as_before():
    registries = (RULES, MEMBERS, CRITERIA, MODELS, KINDS, app.commands, EXPERIMENTS)
    before = [dict(registry) for registry in registries]
    yield
    for registry, entries in zip(registries, before, strict=True):
        registry.clear()
        registry.update(entries)


@pytest.fixture(autouse=True)
def _no_threads_of_dask():
    """Dask keeps its threads for the next computation."""
    if find_spec("dask") is None:
        yield
        return
    import dask

    with dask.config.set(scheduler="synchronous"):
        yield

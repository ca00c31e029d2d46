"""Small tables of numbers and categories, for the tests of members that look at single variables."""

import json

import numpy as np
import pytest

from codelength.averages.training import Training
from codelength.averages.views import Views
from codelength.table import Coded, Schema, Variable
from codelength.table.variable import interval_variable

SCHEMA = Schema(
    (
        interval_variable("size", np.arange(1, 7), missing_is_value=True),
        Variable("colour", ("blue", "green", "red")),
        interval_variable("age", np.arange(1, 60)),
    ),
    Variable("kind", ("a", "b", "c", "never")),
)
"""A size with 7 intervals, which may be missing; a colour; an age; and a class that is never seen."""


def drawn_rows(n_rows, seed=0):
    """Rows in which size says much about the class, colour something, age nothing; some cells are empty."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 3, n_rows)
    sizes = np.clip(generator.poisson(1 + 2 * labels), 0, 7)
    colours = np.where(generator.random(n_rows) < 0.5, labels, generator.integers(0, 4, n_rows))
    ages = generator.integers(0, 61, n_rows)
    return np.stack([sizes, colours, ages], axis=1), labels


def coded_of(codes, labels=None, weights=None, schema=SCHEMA):
    return Coded.of(schema, codes, labels, weights)


def training_of(codes, labels, weights=None, schema=SCHEMA, **options):
    return Training.of(coded_of(codes, labels, weights, schema), **options)


def renamed(codes, labels, schema=SCHEMA, columns=None, classes=None, values=None):
    """The same table with columns, classes and the values of categories in another order.

    Returns codes, labels and the schema. ``columns[i]`` says which column becomes the i-th, ``classes[c]``
    and ``values[v]`` which code class c and value v get; ``values`` is used for variables with as many.
    """
    columns = np.arange(schema.n_variables) if columns is None else np.asarray(columns)
    moved, variables = codes.copy(), list(schema.variables)
    for i, variable in enumerate(schema.variables):
        if variable.kind == "category" and values is not None and len(values) == variable.n_values:
            variables[i] = Variable(variable.name, tuple(np.array(variable.values)[np.argsort(values)]))
            moved[:, i] = np.append(values, len(values))[codes[:, i]]
    target = schema.target
    if classes is not None:
        target = Variable(target.name, tuple(np.array(target.values)[np.argsort(classes)]))
        labels = np.asarray(classes)[labels]
    return moved[:, columns], labels, Schema(tuple(variables[i] for i in columns), target)


def assert_distributions(log_probs, shape):
    assert log_probs.shape == shape
    assert np.isfinite(log_probs).all()
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, rtol=0, atol=1e-12)


def assert_explained(member, coded, atol=1e-10):
    """Contributions add up to the prediction relative to the class prior."""
    log_weights = member.log_prior + member.contributions(coded).sum(axis=1)
    log_probs = log_weights - np.logaddexp.reduce(log_weights, axis=1)[:, None]
    np.testing.assert_allclose(log_probs, member.log_probs(coded), rtol=0, atol=atol)


def read_back(member):
    """The member after a trip through a file."""
    views = Views.from_json(json.loads(json.dumps(member.views.to_json())), member.views.schema)
    return type(member).from_json(json.loads(json.dumps(member.to_json())), views, member.log_prior)


def assert_damage_is_refused(member):
    """Every part of a file that is left out, emptied, cut off or of another kind is noticed."""
    for name in member.to_json():
        for damage in (None, [], {}, "text", -1, [[]], {"type": "<f8", "shape": [1], "data": ""}):
            document = member.to_json()
            if damage == document[name]:
                continue
            document[name] = damage
            with pytest.raises((LookupError, TypeError, ValueError)):
                type(member).from_json(document, member.views, member.log_prior)
        document = member.to_json()
        del document[name]
        with pytest.raises((LookupError, TypeError, ValueError)):
            type(member).from_json(document, member.views, member.log_prior)


EXTREMES = {
    "two rows": (np.array([[0, 0, 3], [5, 1, 40]]), np.array([0, 1])),
    "one row per class": (np.array([[0, 0, 3], [3, 1, 20], [5, 2, 40]]), np.array([0, 1, 2])),
    "one of two classes once": (
        np.array([[0, 0, 3], [3, 1, 20], [5, 2, 40], [5, 2, 50]]),
        np.array([0, 0, 0, 1]),
    ),
    "a variable that says it all": (np.repeat([[0, 0, 7], [6, 1, 7]], 20, axis=0), np.repeat([0, 1], 20)),
    "nothing but missing cells beside": (np.array([[0, 3, 60], [5, 3, 60], [0, 3, 60]]), np.array([0, 1, 0])),
}
"""Tables that leave next to nothing to learn from."""


def wide_rows(n_rows=50, n_columns=500, seed=0):
    """Many more columns than rows: half of them numbers, half categories, one of which says something."""
    generator = np.random.default_rng(seed)
    variables = [
        interval_variable(f"x{i}", np.arange(1, 30)) if i % 2 else Variable(f"x{i}", ("a", "b", "c"))
        for i in range(n_columns)
    ]
    codes = np.stack([generator.integers(0, variable.n_values, n_rows) for variable in variables], axis=1)
    labels = (codes[:, 1] > 14).astype(np.int64)
    return codes, labels, Schema(tuple(variables), Variable("kind", ("a", "b")))

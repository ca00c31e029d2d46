"""Options that several models and functions share have one meaning and one default."""

import importlib
from inspect import Parameter, getdoc, isfunction, signature

import pytest

from codelength.estimators import MODELS
from codelength.mixture.code_length import CRITERIA
from codelength.selection import VARIABLE_CRITERIA
from codelength.selection.clusterings import SELECTION_CRITERIA
from public_names import PUBLIC

DEFAULTS = {"missing": "ignore", "numeric": "auto", "random_state": 0, "weighting": "counts"}

FUNCTIONS = {
    f"{module}.{name}": thing
    for module, names in PUBLIC.items()
    for name in names
    if isfunction(thing := getattr(importlib.import_module(module), name))
}


def differing(thing):
    """Shared options of a class or function whose default is another one."""
    given = signature(thing).parameters
    return {
        name
        for name, default in DEFAULTS.items()
        if name in given and given[name].default not in (default, Parameter.empty)
    }


@pytest.mark.parametrize("kind", MODELS)
def test_models_share_defaults_or_say_why_not(kind):
    model = MODELS[kind]
    if differing(model):
        assert differing(model) == {"missing", "numeric"}
        told = " ".join(base.__doc__ or "" for base in model.__mro__)
        assert "members learn what a missing cell says about the class" in " ".join(told.split())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_share_defaults_or_say_why_not(name):
    other = differing(FUNCTIONS[name])
    if other:
        assert name == "codelength.evaluate"
        assert other == {"missing", "numeric"}
        assert "By default the option of each model." in " ".join(getdoc(FUNCTIONS[name]).split())


def test_methods_of_models_take_the_seed_of_the_model_by_default():
    methods = {
        name: method
        for model in MODELS.values()
        for name in dir(model)
        if isfunction(method := getattr(model, name, None)) and not name.startswith("_") and differing(method)
    }
    assert {*methods} == {"bootstrap", "intervals", "likelihood_ratio_test", "posterior_sample", "sample"}
    for method in methods.values():
        assert differing(method) == {"random_state"}
        told = " ".join(getdoc(method).split())
        assert "by default the seed of the model" in told or "As in :meth:`bootstrap`" in told


def test_criteria_that_choose_by_the_class_have_one_vocabulary():
    """``select=`` of naive Bayes and ``criterion=`` elsewhere."""
    assert set(VARIABLE_CRITERIA) <= set(SELECTION_CRITERIA)
    assert not set(CRITERIA) & set(SELECTION_CRITERIA)


@pytest.mark.parametrize("kind", MODELS)
def test_weights_are_those_of_rows(kind):
    """How rows are weighted is ``weighting``; weights of members are ``member_weights_``."""
    model = MODELS[kind]
    assert "weights" not in signature(model).parameters
    assert not hasattr(model, "weights_")
    if hasattr(model, "fit_table"):
        source, target, *_ = list(signature(model.fit_table).parameters.values())[1:]
        assert (source.name, target.name, target.default) == ("source", "target", None)

"""Options that take one of some names: shown, refused, completed."""

import click
import pytest
from click.shell_completion import BashComplete

from codelength import datasets
from codelength.cli.app import app
from codelength.cli.choices import Whole
from codelength.cli.fit import fit
from codelength.errors import InvalidParameter
from codelength.estimators import FiniteMixture, ModelAverage, NaiveBayes, model_names, name_of
from codelength.mixture.code_length import CRITERIA
from codelength.naive_bayes import PRIORS, RULES
from codelength.selection import VARIABLE_CRITERIA
from codelength.selection.clusterings import SELECTION_CRITERIA
from codelength_lab import PUBLISHED


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (
            "fit",
            [
                *model_names(),
                *RULES,
                *PRIORS,
                *VARIABLE_CRITERIA,
                *SELECTION_CRITERIA,
                "discretize",
                "ignore",
            ],
        ),
        ("evaluate", [*RULES, "naive-bayes", "mixture-classifier"]),
        ("cluster", [*CRITERIA, *PRIORS]),
        ("reproduce", [*PUBLISHED, "all"]),
    ],
)
def test_the_names_are_in_the_help(run, command, names):
    shown = run(command, "--help")[1].replace(",", " ").replace(".", " ").split()
    assert set(names) <= set(shown)


@pytest.mark.parametrize(
    ("option", "value", "estimator"),
    [
        ("--rule", "guess", NaiveBayes(rule="guess")),
        ("--prior", "flat", NaiveBayes(prior="flat")),
        ("--prior", "0", NaiveBayes(prior=0.0)),
        ("--select", "luck", NaiveBayes(select="luck")),
        ("--missing", "drop", NaiveBayes(missing="drop")),
        ("--numeric", "round", NaiveBayes(numeric="round")),
        ("--identifiers", "guess", NaiveBayes(identifiers="guess")),
    ],
)
def test_a_wrong_name_is_refused_in_the_words_of_python(run, train, option, value, estimator):
    with pytest.raises(InvalidParameter) as refused:
        estimator.fit({"a": ["x", "y"], "b": ["z", "z"]}, [0, 1])
    code, _, err = run("fit", train, "-t", "play", "-o", "model.json", option, value)
    assert code == 2
    assert err == f"error: {refused.value}\n"


def test_a_wrong_criterion_is_refused_in_the_words_of_python(run, train):
    with pytest.raises(InvalidParameter) as refused:
        FiniteMixture(criterion="mdl").fit({"a": ["x", "y"]})
    assert run("cluster", train, "--criterion", "mdl")[2] == f"error: {refused.value}\n"


def completions(*words):
    completion = BashComplete(app, {}, "codelength", "_CODELENGTH_COMPLETE")
    return [item.value for item in completion.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["in"], ["inspect"]),
        (["fit", "--rule", ""], list(RULES)),
        (["fit", "--model", "mixture-"], ["mixture-classifier"]),
        (["fit", "--model", "model"], ["model-average"]),
        (["fit", "--prior", "j"], ["jeffreys"]),
        (["cluster", "--criterion", "cheese"], ["cheeseman_stutz", "cheeseman_stutz_soft"]),
        (["cluster", "--components", ""], ["auto"]),
        (["fit", "vo"], ["vote"]),
        (["datasets", "show", "he"], [name for name in datasets.names() if name.startswith("he")]),
        (["reproduce", "bayes"], ["bayes-optimal-ibl"]),
        (["fit", "--sel"], ["--select"]),
    ],
)
def test_the_shell_completes(words, expected):
    assert completions(*words) == expected


def test_files_are_completed_where_files_are_meant():
    completion = BashComplete(app, {}, "codelength", "_CODELENGTH_COMPLETE")
    for words in (["fit"], ["inspect"], ["fit", "vote", "-o"]):
        (item,) = completion.get_completions(words, "x")
        assert item.type == "file"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_the_shell(run, shell):
    code, out, _ = run("completion", shell)
    assert code == 0
    assert "_CODELENGTH_COMPLETE" in out


def test_the_shell_asks_the_program(process):
    done = process(
        env={
            "_CODELENGTH_COMPLETE": "bash_complete",
            "COMP_WORDS": "codelength fit --rule m",
            "COMP_CWORD": "3",
        }
    )
    assert done.stdout.split() == [b"plain,map"]


def test_defaults_in_the_help_are_those_of_the_models():
    naive_bayes, average = NaiveBayes().get_params(), ModelAverage().get_params()
    defaults = {**naive_bayes, "seed": average["random_state"], "model": name_of(ModelAverage)}
    usual = {option.name: option.usual for option in fit.params if getattr(option, "usual", "")}
    assert {"model", "rule", "prior", "identifiers", "seed"} <= usual.keys()
    assert usual == {name: str(defaults[name]) for name in usual}
    assert average["identifiers"] == naive_bayes["identifiers"]


@pytest.mark.parametrize("text", ["1.5", "²", "", "one", "1_000", "9" * 5000, "-1"])
def test_only_whole_numbers_are_whole_numbers(text):
    with pytest.raises(InvalidParameter, match="starts="):
        Whole("starts").convert(text, None, None)
    assert Whole("starts").convert("007", None, None) == 7
    assert isinstance(Whole("starts"), click.ParamType)

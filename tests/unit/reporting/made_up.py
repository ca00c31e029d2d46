"""An analysis that nobody measured, for whoever shows one: every kind of figure is in it."""

from dataclasses import replace
from math import log, log2

import numpy as np

from codelength.reporting.results import (
    Analysis,
    Estimate,
    LearningCurve,
    ModelScores,
    Reliability,
    Surprise,
    TableFacts,
    ValueProfile,
    VariableFacts,
)


def made_up_analysis(n_variables=3, classes=("in", "out"), name="weather", prefix=""):
    """An analysis of a table that does not exist.

    ``n_variables`` beyond three repeats the first ones under other names; ``prefix`` is put before every text
    that would come from the table, to see whether it is escaped.
    """
    labels = tuple(prefix + label for label in classes)
    counts = np.arange(len(labels), 0, -1) * 20.0
    prior = counts / counts.sum()
    variables = tuple(_variable(i, labels, prefix) for i in range(n_variables))
    scorers = {rule: _scorer(variables, labels, prefix, temper) for rule, temper in _RULES.items()}
    return Analysis(
        table=TableFacts(
            name=prefix + name,
            n_rows=int(counts.sum()),
            n_columns=n_variables + 1,
            n_missing=7,
            target=prefix + "play",
            classes=labels,
            class_counts=counts,
            ignored=((prefix + "number", "60 distinct texts in 60 rows: an identifier"),),
            notes=(f"column '{prefix}number': 60 distinct texts in 60 rows look like identifiers",),
        ),
        models=_models(),
        best="model average",
        prior_bits=float(-(prior * np.log2(prior)).sum()),
        gain=Estimate(0.31, 0.05, 0.21, 0.41),
        accuracy=Estimate(0.8, 0.05, 0.68, 0.88),
        calibration=Estimate(0.04, 0.02, 0.01, 0.09),
        reliability=Reliability(
            promised=np.array([0.08, 0.31, 0.52, 0.74, 0.93]),
            observed=np.array([0.1, 0.25, 0.55, 0.7, 0.95]),
            low=np.array([0.02, 0.09, 0.3, 0.45, 0.75]),
            high=np.array([0.35, 0.53, 0.77, 0.87, 0.99]),
            n_rows=np.full(5, 12.0),
            of=labels[1] if len(labels) == 2 else "the most probable class",
        ),
        learning_curve=LearningCurve(
            n_rows=np.array([7, 13, 27, 54]),
            loss_bits=np.array([0.93, 0.8, 0.69, 0.61]),
            low=np.array([0.85, 0.73, 0.64, 0.56]),
            high=np.array([1.01, 0.87, 0.74, 0.66]),
            model="naive Bayes, evidence",
            sentence="The last doubling of the rows gained 0.08 ± 0.03 bits per row.",
        ),
        variables=(*variables, _ignored(prefix)),
        surprises=(
            Surprise(17, 0.02, labels[0], labels[-1], ()),
            Surprise(4, 0.06, labels[-1], labels[0], ()),
        ),
        scorers=scorers,
        settings=(("protocol", "10-fold cross-validation"), ("prior", "uniform"), ("missing", "ignore")),
        command=f"codelength report '{prefix}{name}.csv' --target '{prefix}play'",
        version="0.0",
        seed=0,
        seconds=1.25,
    )


def with_rows(analysis):
    """The analysis as it is when rows were asked for."""
    cells = tuple((v.name, v.profile[0].label) for v in analysis.variables if v.profile)
    return replace(analysis, surprises=tuple(replace(s, cells=cells) for s in analysis.surprises))


_RULES = {"evidence": 1.0, "map": 1.3, "stochastic_complexity": 1.1, "indifferent": 0.9}


def _models():
    def row(name, log_score, behind, *, n_zero=0, is_baseline=False):
        estimate = Estimate(behind, behind / 4, behind / 2, behind * 3 / 2)
        return ModelScores(
            name=name,
            protocol="10-fold cross-validation",
            log_score_bits=log_score,
            log_score_bits_se=0.02,
            accuracy=0.8,
            accuracy_se=0.04,
            brier_score=0.3,
            brier_score_se=0.03,
            calibration_error=0.05,
            behind_best=estimate,
            is_tied=behind < 0.04,
            n_zero=n_zero,
            fit_seconds=0.01,
            is_baseline=is_baseline,
        )

    return (
        row("model average", -0.61, 0.0),
        row("naive Bayes, evidence", -0.64, 0.03),
        row("naive Bayes, indifferent", -0.65, 0.04),
        row("logistic regression", -0.66, 0.05, is_baseline=True),
        row("naive Bayes, stochastic complexity", -0.67, 0.06),
        row("class prior", -0.92, 0.31, is_baseline=True),
        row("naive Bayes, map", -float("inf"), float("inf"), n_zero=1),
    )


_SHAPES = (
    ("outlook", "categories", ("rain", "sun"), 0),
    ("warmth", "numbers in intervals", ("< 10", "10 to 20.5", ">= 20.5"), 3),
    ("wind", "categories", ("no", "yes", "missing"), 4),
)


def _variable(i, classes, prefix):
    name, kind, values, n_missing = _SHAPES[i % len(_SHAPES)]
    rng = np.random.default_rng(i)
    profile = tuple(
        ValueProfile(prefix + label, float(20 - n), rng.dirichlet(np.ones(len(classes))))
        for n, label in enumerate(values)
    )
    bits = 0.25 / (i + 1) - 0.1
    return VariableFacts(
        name=prefix + (name if i < len(_SHAPES) else f"{name} {i}"),
        kind=kind,
        n_values=len(values),
        n_missing=n_missing,
        how="3 intervals of about equal frequency" if kind.startswith("numbers") else "values of the column",
        bits_alone=Estimate(bits, 0.03, bits - 0.06, bits + 0.06),
        bits_given_others=None if i > 1 else Estimate(bits / 2, 0.02, bits / 2 - 0.04, bits / 2 + 0.04),
        profile=profile,
    )


def _ignored(prefix):
    return VariableFacts(
        name=prefix + "number",
        kind="ignored",
        n_values=1,
        n_missing=0,
        how="60 distinct texts in 60 rows: an identifier",
        bits_alone=None,
        bits_given_others=None,
        profile=(),
    )


def _scorer(variables, classes, prefix, temper):
    """A scorer document with tables that belong to no rows."""
    return {
        "format": "codelength scorer",
        "version": 1,
        "target": prefix + "play",
        "classes": list(classes),
        "class_table": [log(k + 1) for k in range(len(classes))],
        "prior_log_probs": [-log2(len(classes)) * log(2)] * len(classes),
        "variables": [_scored(variable, temper) for variable in variables],
    }


def _scored(variable, temper):
    shares = [value.n_rows / sum(v.n_rows for v in variable.profile) for value in variable.profile]
    table = [[temper * log(float(p)) for p in value.class_probs] for value in variable.profile]
    shared = {"name": variable.name, "table": table, "weights": shares}
    labels = [value.label for value in variable.profile]
    if variable.kind == "categories":
        return {"kind": "values", "values": labels, **shared}
    return {"kind": "intervals", "cuts": [10.0, 20.5], "closed": "left", "labels": labels, **shared}

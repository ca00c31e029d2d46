"""Fit models to bundled tables and write down what they say, for comparison with other machines.

``python machine_results.py OUT PARTS TABLES`` writes one array per result to the file OUT (npz). Parts and
tables are lists with commas between. See ``unit/test_machines.py``.
"""

import sys
import warnings

import numpy as np

from codelength import (
    FiniteMixture,
    IndifferentTrees,
    MixtureClassifier,
    ModelAverage,
    NaiveBayes,
    datasets,
    select_variables,
)
from codelength.code_lengths import best_clustering
from codelength.prequential import compare_models, naive_bayes_sequence
from codelength.sources import as_coded


def model_average(data):
    model = ModelAverage().fit(data.frame, data.target)
    yield "probs", model.predict_proba(data.frame)
    yield "labels", model.predict(data.frame)
    left_out = model.leave_one_out()
    yield "left out", np.exp(left_out.log_probs)
    yield "score", np.array([left_out.log_score, left_out.accuracy])
    yield "weights", np.array(list(model.member_weights_.values()))


def every_member(data):
    model = ModelAverage(["best_tree", "subsets"]).fit(data.frame, data.target)
    yield "probs", model.predict_proba(data.frame)
    for name, made in model.leave_one_out().against.items():
        yield name, np.exp(made.log_probs)


def mixture(data):
    model = FiniteMixture(n_init=10, max_components=6, random_state=0).fit(data.frame)
    yield "number of components", np.array(model.n_components_)
    yield "tried", np.array(list(model.criterion_path_))
    yield "path", np.array(list(model.criterion_path_.values()))
    yield "labels", model.labels_
    yield "memberships", model.memberships_


def mixture_classifier(data):
    model = MixtureClassifier(candidates=8, n_components=(3, 10), n_orderings=2, random_state=0)
    model.fit(data.frame, data.target)
    yield "probs", model.predict_proba(data.frame)
    yield "labels", model.predict(data.frame)


def selected(data):
    for select in ("evidence", "leave_one_out", "prequential"):
        model = NaiveBayes(select=select).fit(data.frame, data.target)
        yield f"{select}, variables", model.selection_.selected
        yield f"{select}, probs", model.predict_proba(data.frame)
        yield f"{select}, labels", model.predict(data.frame)


def selections(data):
    coded = as_coded(data.frame, data.target)
    for direction in ("forward", "backward", "both"):
        yield f"variables, {direction}", select_variables(coded, direction=direction).selected
    models = [naive_bayes_sequence(coded, prior=prior) for prior in ("uniform", "jeffreys", 0.5, 8.0)]
    race = compare_models(models, max_orderings=20, random_state=0)
    yield "best", np.array([race.best, int(race.settled), *race.n_orderings])
    yield "means", race.means
    few = coded.take(np.arange(min(40, coded.n_rows)))
    yield "clustering", best_clustering(few, 3, method="climb", n_starts=5).clustering


def answers(data):
    target = data.target_name
    models = [NaiveBayes(), IndifferentTrees("best", numeric="discretize"), IndifferentTrees("all")]
    for place, model in enumerate(models):
        model.fit(data.frame, data.target)
        names = [*model.schema_.names[:2], model.schema_.target.name or target]
        answer = model.query(data.frame.iloc[:20].drop(columns=names[:2]), names)
        yield f"{place}, probs", answer.probs
        yield f"{place}, best", answer.best


PARTS = {
    part.__name__: part
    for part in (model_average, every_member, mixture, mixture_classifier, selected, selections, answers)
}


def main(out, parts, tables):
    warnings.simplefilter("ignore")
    found = {}
    for table in tables.split(","):
        data = datasets.load(table, backend="pandas")
        for part in parts.split(","):
            for name, result in PARTS[part](data):
                result = np.asarray(result)
                found[f"{table}, {part}, {name}"] = result.astype(str) if result.dtype == object else result
    np.savez(out, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])

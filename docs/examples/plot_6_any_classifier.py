"""
The calibration of any classifier
=================================

Pictures of predictions need no model of codelength. Here are a random forest of scikit-learn and
``ModelAverage`` on the same rows, which neither has seen.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from codelength import ModelAverage, datasets
from codelength.plot import CalibrationDisplay

diabetes = datasets.load("diabetes").table
X = np.column_stack([column.cells for column in diabetes.columns])
y = np.array(diabetes.target.cells)
rows = np.random.default_rng(0).permutation(len(y))
train, test = rows[:384], rows[384:]

figure, places = plt.subplots(1, 2, figsize=(9, 4.3), layout="constrained")
for axes, model in zip(places, (RandomForestClassifier(random_state=0), ModelAverage()), strict=True):
    probabilities = model.fit(X[train], y[train]).predict_proba(X[test])
    CalibrationDisplay.from_predictions(probabilities, y[test], classes=model.classes_, n_bins=8, ax=axes)
    axes.set_title(type(model).__name__)

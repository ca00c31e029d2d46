"""
Why this prediction?
====================

The log-odds of a prediction, split over the variables. One bit doubles the odds. The bars of naive
Bayes are exact by definition. Those of an average are exact where a member is a sum over variables,
and Shapley values otherwise.
"""

import matplotlib.pyplot as plt

from codelength import ModelAverage, datasets
from codelength.plot import ExplanationDisplay

vote = datasets.load("vote").table
model = ModelAverage().fit(vote)
figure, axes = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
display = ExplanationDisplay.from_estimator(model, vote, row=3, n_variables=10, ax=axes)

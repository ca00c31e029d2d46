"""
Would more rows help?
=====================

Log loss over the number of rows learned from, for two rules of naive Bayes. ``"evidence"`` averages
over all naive Bayes models. ``"indifferent"`` does so under a prior that favours no model, and
starts closer to the class prior. With enough rows the rules agree; the difference between them is
in the small tables.
"""

import matplotlib.pyplot as plt

from codelength import NaiveBayes, datasets
from codelength.plot import LearningCurveDisplay

heart = datasets.load("heart-statlog").table
figure, places = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for axes, rule in zip(places, ("evidence", "indifferent"), strict=True):
    LearningCurveDisplay.from_estimator(NaiveBayes(rule=rule), heart, ax=axes)
    axes.set_title(rule)

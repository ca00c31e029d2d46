"""
Would more rows help?
=====================

Log loss over the number of rows learned from, for two rules of naive Bayes. ``"evidence"`` averages
over all naive Bayes models under the uniform prior, ``"indifferent"`` under a prior that favours no
model. Both gain a quarter of a bit from 13 to 216 rows, and next to nothing from the last doubling:
more patients like these would not help naive Bayes much. The bands are 95 % intervals of the loss on
further patients; they allow for the rows that the folds of cross-validation have in common.
"""

import matplotlib.pyplot as plt

from codelength import NaiveBayes, datasets
from codelength.plot import LearningCurveDisplay

heart = datasets.load("heart-statlog").table
figure, places = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for axes, rule in zip(places, ("evidence", "indifferent"), strict=True):
    LearningCurveDisplay.from_estimator(NaiveBayes(rule=rule), heart, ax=axes)
    axes.set_title(rule)

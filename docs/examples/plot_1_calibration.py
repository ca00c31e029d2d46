"""
Can the probabilities be trusted?
=================================

Naive Bayes counts the same evidence again and again where columns are related, and so it is far too
sure of itself. An average over model classes takes that back. The points show, for ten parts of the
rows, the observed frequency of the class against its predicted probability. On the dashed line the two
are equal.

Every row is predicted without itself: no part of the picture is flattered.
"""

import matplotlib.pyplot as plt

from codelength import ModelAverage, NaiveBayes, datasets
from codelength.plot import CalibrationDisplay

vote = datasets.load("vote").table
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.3), layout="constrained")
for axes, model in ((left, NaiveBayes()), (right, ModelAverage())):
    model.fit(vote)
    CalibrationDisplay.from_estimator(model, vote, leave_one_out=True, ax=axes)
    scores = model.leave_one_out(vote)
    axes.set_title(f"{type(model).__name__}: {-scores.log_score:.2f} nats per row")

"""
Which variables matter?
=======================

A variable may say much about the class when it is alone, and little beside others that say the
same. Both figures are in bits per row, measured on rows that the model has not seen.
"""

import matplotlib.pyplot as plt
import numpy as np

from codelength import ModelAverage, datasets
from codelength.plot import EvidenceByVariableDisplay

credit = datasets.load("australian").table
rows = np.random.default_rng(0).permutation(credit.n_rows)
model = ModelAverage().fit(credit.take(rows[:460]))
figure, axes = plt.subplots(figsize=(6.5, 5), layout="constrained")
display = EvidenceByVariableDisplay.from_estimator(model, credit.take(rows[460:]), ax=axes)

"""
How many hidden classes, and what are they?
===========================================

Mixtures with one, two, three, ... components are fitted to the animals of the zoo, without their
class. The code length decides: more components describe the animals better, but have to be
described themselves.
"""

import matplotlib.pyplot as plt

from codelength import FiniteMixture, datasets
from codelength.plot import ComponentProfilesDisplay, CriterionPathDisplay

zoo = datasets.load("zoo").table.drop(["class"])
model = FiniteMixture(max_components=7, random_state=0).fit(zoo)
figure, axes = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
display = CriterionPathDisplay.from_estimator(model, ax=axes)

# %%
# Four components have the shortest code length. Their profiles are mammals, fish (with amphibians
# and most reptiles), birds, and animals without a backbone.

figure, axes = plt.subplots(figsize=(6, 6.5), layout="constrained")
display = ComponentProfilesDisplay.from_estimator(model, title="101 animals", ax=axes)

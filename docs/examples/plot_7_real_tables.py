"""
What mixtures find in real tables
=================================

Finite mixtures with 1, 2, ... components are fitted without the class, and the number with the
shortest code length is kept. One column per component with its share of the rows, one row per value,
the probability of the value in per cent. The variables that separate the components best come first,
and only one value of a two-valued variable is shown. On the command line,
``codelength cluster vote --figure vote.svg`` draws the same.
"""

import matplotlib.pyplot as plt

from codelength import FiniteMixture, datasets
from codelength.plot import ComponentProfilesDisplay

vote = datasets.load("vote").table.drop(["class"])
model = FiniteMixture(max_components=6, random_state=0).fit(vote)
figure, axes = plt.subplots(figsize=(6, 6.5), layout="constrained")
display = ComponentProfilesDisplay.from_estimator(model, title="435 members of Congress, 16 votes", ax=axes)

# %%
# Five components, each almost entirely of one party: two of Republicans, three of Democrats. Missing
# votes are marginalised. Among the 101 animals of the zoo there are four components: mammals (39 of 41;
# the two others have fins and live in water, and are found with the fish), fish with amphibians and most
# reptiles, birds with one reptile without teeth, and animals without a backbone. Among 148 patients of
# lymphography there are five: the first is mostly malignant lymphoma, the third and fourth are mostly
# metastases, and the fifth, small and with all cases of bypass, holds all four cases of fibrosis.

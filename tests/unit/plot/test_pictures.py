"""Pictures of latent classes: one line each, in files and in notebooks."""

import numpy as np
import pytest

from codelength import FiniteMixture, plot
from codelength.errors import InvalidParameter

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    classes = rng.random(300) < 0.4
    table = {f"question {i}": np.where(rng.random(300) < 0.2, ~classes, classes) for i in range(5)}
    return FiniteMixture(max_components=3, patience=3, n_init=5, random_state=0).fit(table)


@pytest.mark.parametrize("kind", plot.KINDS)
@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_every_picture_is_drawn_in_one_line(model, kind, suffix, tmp_path):
    path = tmp_path / f"{kind}.{suffix}"
    display = plot.KINDS[kind].from_estimator(model)
    assert isinstance(display.figure_, matplotlib.figure.Figure)
    display.save(path)
    content = path.read_bytes()
    assert len(content) > 1000
    plot.KINDS[kind].from_estimator(model).save(path)
    if suffix != "pdf":
        assert path.read_bytes() == content


@pytest.mark.parametrize("kind", plot.KINDS)
def test_notebooks_show_pictures(model, kind):
    assert plot.KINDS[kind].from_estimator(model)._repr_svg_().startswith("<?xml")


def test_pictures_say_what_they_show(model):
    drawn = {kind: one.from_estimator(model)._repr_svg_() for kind, one in plot.KINDS.items()}
    assert "question 3" in drawn["profiles"]
    assert "chosen by cheeseman stutz" in drawn["criteria"]
    assert "BIC (best" in drawn["criteria"]
    assert f"total {model.residuals_.total:.1f}" in drawn["residuals"]
    for k, size in enumerate(model.classification_.n_assigned):
        assert f"class {k + 1}: {size:.0f} rows" in drawn["memberships"]


def test_criteria_can_be_named(model):
    drawn = plot.CriterionPathDisplay.from_estimator(model, criteria=["caic"])._repr_svg_()
    assert "CAIC" in drawn
    assert "aBIC" not in drawn
    assert "annealed" in plot.CriterionPathDisplay.from_estimator(model.compare("annealed"))._repr_svg_()
    with pytest.raises(InvalidParameter, match="criteria='gini'"):
        plot.CriterionPathDisplay.from_estimator(model, criteria=["gini"])


def test_names_that_say_nothing_are_refused(model, tmp_path):
    with pytest.raises(InvalidParameter, match=r"an \.svg, \.png or \.pdf file"):
        plot.ComponentProfilesDisplay.from_estimator(model).save(tmp_path / "picture.txt")


def test_many_variables_and_one_class_can_be_drawn(tmp_path):
    rng = np.random.default_rng(0)
    model = FiniteMixture(1, random_state=0).fit(rng.integers(0, 2, (50, 60)))
    for kind, display in plot.KINDS.items():
        assert "<svg" in display.from_estimator(model)._repr_svg_(), kind
    assert "20 variables left out" in plot.ResidualsDisplay.from_estimator(model)._repr_svg_()


def test_weights_count(model):
    table = {"a": ["x", "y", "x"], "b": ["u", "v", "u"], "c": ["p", "q", "p"]}
    weighted = FiniteMixture(2, n_init=3, random_state=0).fit(table, sample_weight=[5, 7, 0])
    drawn = plot.MembershipsDisplay.from_estimator(weighted)._repr_svg_()
    assert "class 1: 7 rows" in drawn
    assert "class 2: 5 rows" in drawn

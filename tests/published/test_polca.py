"""Latent class models against poLCA, a program nobody here wrote; see ``golden/data/lca/README.md``."""

from pathlib import Path

import pytest

from codelength import FiniteMixture, read_table

TABLES = Path(__file__).parents[1] / "golden" / "data" / "lca"

FIGURES = """carcinoma,1,-524.464818,7,1062.9296,1082.3244,476.781391,1975.386693,111
carcinoma,2,-317.256837,15,664.5137,706.0739,62.365429,92.648135,103
carcinoma,3,-293.704979,23,633.4100,697.1357,15.261712,20.503357,95
carcinoma,4,-289.285849,31,640.5717,726.4629,6.423452,10.084156,87
cheating,1,-467.438195,4,942.8764,957.9372,62.586407,136.341653,11
cheating,2,-440.027112,9,898.0542,931.9409,7.764242,8.323433,6
cheating,3,-436.235578,14,900.4712,953.1838,0.181173,0.182425,1
values,1,-543.649825,4,1095.2996,1108.8008,81.084231,104.107070,11
values,2,-504.467670,9,1026.9353,1057.3128,2.719922,2.719762,6
values,3,-503.301137,14,1034.6023,1081.8562,0.386856,0.422548,1"""
"""Table, classes, log-likelihood, parameters, AIC, BIC, G2, chi-squared, residual degrees of freedom."""

SHARES = {"carcinoma": [0.501212, 0.498788], "cheating": [0.839435, 0.160565], "values": [0.720754, 0.279246]}
"""Shares of two classes, the larger first."""


def table_of(name):
    return read_table(TABLES / f"{name}.csv", drop=["GPA"] if name == "cheating" else [])


@pytest.mark.parametrize("name", SHARES)
def test_default_settings_give_the_figures_of_polca(name):
    sizes = [line.split(",") for line in FIGURES.splitlines() if line.startswith(name)]
    model = FiniteMixture(max_components=len(sizes), patience=len(sizes), random_state=0).fit(table_of(name))
    assert len(model.comparison_) == len(sizes)
    for row, (_, size, log_likelihood, parameters, aic, bic, g2, chi2, df) in zip(
        model.comparison_, sizes, strict=True
    ):
        assert (row["components"], row["parameters"], row["df"]) == (int(size), int(parameters), int(df))
        assert row["log_likelihood"] == pytest.approx(float(log_likelihood), abs=1e-6)
        assert row["aic"] == pytest.approx(float(aic), abs=1e-4)
        assert row["bic"] == pytest.approx(float(bic), abs=1e-4)
        assert row["g2"] == pytest.approx(float(g2), abs=1e-6)
        # Chi-squared has a slope at the maximum, and EM that stops early shows there: 20,000 further
        # iterations in extended precision end at 10.084104 for the four classes of carcinoma.
        assert row["chi2"] == pytest.approx(float(chi2), rel=1e-5)
        assert row["converged"]
        assert row["reached"] >= min(5, row["starts"])


@pytest.mark.parametrize("name", SHARES)
def test_the_shares_of_two_classes_are_those_of_polca(name):
    model = FiniteMixture(2, random_state=1).fit(table_of(name))
    assert model.parameters_.class_probs == pytest.approx(SHARES[name], abs=2e-6)
    assert model.comparison_["components"] == [1, 2]

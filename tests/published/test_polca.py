"""Latent class models against poLCA, a program nobody here wrote; see ``golden/data/lca/README.md``."""

import contextlib
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

from codelength import FiniteMixture, read_table
from codelength.errors import DoubtfulFit

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


def warned_about(name):
    """Three classes of four binary variables, which the criterion prefers in cheating, are not identified."""
    if name == "cheating":
        return pytest.warns(DoubtfulFit, match="3 classes: the profiles are not identified")
    return contextlib.nullcontext()


@pytest.mark.parametrize("name", SHARES)
def test_default_settings_give_the_figures_of_polca(name):
    sizes = [line.split(",") for line in FIGURES.splitlines() if line.startswith(name)]
    with warned_about(name):
        model = FiniteMixture(max_components=len(sizes), patience=len(sizes), random_state=0)
        model.fit(table_of(name))
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


# Table, classes, log-likelihood, parameters, AIC, BIC, CAIC and relative entropy by StepMix 3.0.0, that is
# StepMix(classes, measurement="categorical", n_init=20, max_iter=20000, abs_tol=1e-13, rel_tol=0,
# random_state=0) on the codes of the same tables. Its adjusted BIC is left out: it multiplies the
# (N + 2) / 24 of Sclove (1987) by N.
FROM_STEPMIX = """carcinoma,1,-524.464818,7,1062.9296,1082.3244,1089.3244,nan
carcinoma,2,-317.256837,15,664.5137,706.0739,721.0739,0.985508
carcinoma,3,-293.704979,23,633.4100,697.1357,720.1357,0.925665
carcinoma,4,-289.285849,31,640.5717,726.4629,757.4629,0.901852
cheating,1,-467.438195,4,942.8764,957.9372,961.9372,nan
cheating,2,-440.027112,9,898.0542,931.9409,940.9409,0.736561
values,1,-543.649825,4,1095.2996,1108.8008,1112.8008,nan
values,2,-504.467670,9,1026.9353,1057.3128,1066.3128,0.719297"""


@pytest.mark.parametrize("name", SHARES)
def test_default_settings_give_the_figures_of_stepmix(name):
    with warned_about(name):
        model = FiniteMixture(max_components=4, patience=4, random_state=0).fit(table_of(name))
    for line in FROM_STEPMIX.splitlines():
        table, size, *figures = line.split(",")
        if table == name:
            row = model.comparison_.of(int(size))
            log_likelihood, parameters, aic, bic, caic, entropy = map(float, figures)
            assert row["log_likelihood"] == pytest.approx(log_likelihood, abs=1e-6)
            assert row["parameters"] == parameters
            assert [row["aic"], row["bic"], row["caic"]] == pytest.approx([aic, bic, caic], abs=1e-4)
            if size == "1":
                assert row["relative_entropy"] is None
            else:
                # As chi-squared, it needs more digits of the parameters than the log-likelihood has to offer.
                assert row["relative_entropy"] == pytest.approx(entropy, abs=5e-5)


def test_stepmix_itself_where_it_is_installed(monkeypatch):
    stepmix = pytest.importorskip("stepmix.stepmix")
    monkeypatch.setattr("tqdm.tqdm.monitor_interval", 0)  # its progress bar would leave a thread behind
    table = table_of("carcinoma")
    codes = np.column_stack([column.numbers for column in table.columns]).astype(int) - 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = stepmix.StepMix(
            2,
            measurement="categorical",
            n_init=3,
            abs_tol=1e-13,
            rel_tol=0,
            random_state=0,
            progress_bar=0,
            verbose=0,
        ).fit(codes)
    model = FiniteMixture(2, random_state=0).fit(table)
    assert model.trust_.log_likelihood == pytest.approx(float(peer.score(codes)) * len(codes), abs=1e-6)


IN_R = """
suppressMessages(library(poLCA))
d <- read.csv(commandArgs(TRUE)[1])
d <- d[, names(d) != "GPA"]
f <- as.formula(paste0("cbind(", paste(names(d), collapse = ","), ") ~ 1"))
set.seed(1)
for (k in 1:3) {
  m <- poLCA(f, d, nclass = k, nrep = 20, maxiter = 20000, tol = 1e-12, verbose = FALSE, calc.se = FALSE)
  cat(k, sprintf("%.9f", c(m$llik, m$Gsq, m$Chisq)), m$npar, m$resid.df, "\\n")
}
"""


@pytest.mark.parametrize("name", SHARES)
def test_polca_itself_where_it_is_installed(name):
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    call = ["Rscript", "-e", IN_R, str(TABLES / f"{name}.csv")]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=600)
    if "there is no package called" in done.stderr:
        pytest.skip("poLCA is not installed")
    assert done.returncode == 0, done.stderr
    with warned_about(name):
        model = FiniteMixture(max_components=3, patience=3, random_state=0).fit(table_of(name))
    for line in done.stdout.splitlines():
        size, log_likelihood, g2, chi2, parameters, df = line.split()
        row = model.comparison_.of(int(size))
        assert (row["parameters"], row["df"]) == (int(parameters), int(df))
        assert row["log_likelihood"] == pytest.approx(float(log_likelihood), abs=1e-4)
        assert row["g2"] == pytest.approx(float(g2), abs=1e-4)
        assert row["chi2"] == pytest.approx(float(chi2), rel=1e-4)

"""Uncertainty of a latent class model: standard errors, intervals, draws and tests.

:class:`LatentInference` passes the training rows and the mixture to functions of
:mod:`codelength.latent.inference`, with the random stream of the model if no other is given.
"""

from typing import Any, ClassVar, Literal

from ..errors import DataError
from ..latent.inference import (
    Bootstrap,
    Intervals,
    LikelihoodRatioTest,
    PosteriorSample,
    StandardErrors,
    bootstrap,
    design_standard_errors,
    likelihood_ratio_test,
    posterior_sample,
    standard_errors,
    with_profile_bounds,
)
from ..latent.inference.bootstrap import BootstrapKind
from ..latent.inference.gibbs import Start
from ..latent.inference.information import InformationKind
from ..mixture._replications import Progress
from ..table import Coded
from ..table.checks import check_choice
from ._fitted import scaled
from ._fitted_mixture import FittedMixture
from .base import TableEstimator

ErrorKind = Literal["auto", "observed", "empirical", "expected", "sandwich"]
IntervalKind = Literal[
    "auto", "observed", "empirical", "expected", "sandwich", "nonparametric", "parametric", "posterior"
]


class LatentInference(TableEstimator):
    """Standard errors, intervals, draws and tests of a fitted mixture.

    Every method takes the training rows, or those given as ``X`` with their ``sample_weight``: a model read
    from a file no longer has its own. Classes are counted from 0 in arguments and arrays, as in ``predict``,
    and from 1 in printed tables.
    """

    _fitted_type = FittedMixture
    _fitted: ClassVar[FittedMixture]

    def standard_errors(
        self,
        kind: ErrorKind = "auto",
        *,
        clusters: Any = None,
        strata: Any = None,
        X: Any = None,
        sample_weight: Any = None,
    ) -> StandardErrors:
        """Return standard errors of class shares and value probabilities.

        Parameters
        ----------
        kind : {"auto", "observed", "empirical", "expected", "sandwich"}
            The information matrix that is inverted, or the sandwich estimator for rows that were not drawn
            independently. ``"auto"`` is the sandwich if there are clusters or strata or the weights of the
            model are relative, and observed otherwise. poLCA prints ``"empirical"``.
        clusters, strata : arrays of shape (n_rows,), optional
            Cluster and stratum of each row in the design of the sample.
        X, sample_weight : optional
            The training rows, for a model that was read from a file.
        """
        check_choice("kind", kind, ErrorKind)
        fitted, rows = self._fitted, self._rows(X, sample_weight)
        prior, has_design = fitted.mode_prior, clusters is not None or strata is not None
        is_survey = has_design or fitted.params["weighting"] == "relative"
        if kind == "sandwich" or (kind == "auto" and is_survey):
            return design_standard_errors(rows, fitted.mixture, prior, clusters=clusters, strata=strata)
        if has_design:
            raise DataError(f'clusters and strata need kind="sandwich" or kind="auto", not kind="{kind}"')
        information: InformationKind = "observed" if kind == "auto" else kind
        return standard_errors(rows, fitted.mixture, information, prior)

    def intervals(
        self,
        kind: IntervalKind = "auto",
        level: float = 0.95,
        *,
        clusters: Any = None,
        strata: Any = None,
        n_replications: int = 500,
        random_state: Any = None,
        progress: Progress | None = None,
        X: Any = None,
        sample_weight: Any = None,
    ) -> Intervals:
        """Return intervals of class shares and value probabilities.

        Parameters
        ----------
        kind : str
            As in :meth:`standard_errors`, then intervals are symmetric on the logit scale, and those of
            estimates on the boundary come from the profile likelihood; or ``"nonparametric"`` or
            ``"parametric"`` for a bootstrap; or ``"posterior"``.
        level : float
            Nominal coverage of the intervals.
        n_replications : int
            Replications of a bootstrap, or draws of each chain.
        random_state, progress
            As in :meth:`bootstrap`.
        clusters, strata, X, sample_weight
            As in :meth:`standard_errors`.
        """
        check_choice("kind", kind, IntervalKind)
        again = {"random_state": random_state, "progress": progress, "X": X, "sample_weight": sample_weight}
        match kind:
            case "nonparametric" | "parametric":
                return self.bootstrap(n_replications, kind, **again).intervals(level)
            case "posterior":
                return self.posterior_sample(n_replications, **again).intervals(level)
        # Symmetric intervals fail for estimates on the boundary, which get profile bounds below.
        errors = self.standard_errors(
            kind, clusters=clusters, strata=strata, X=X, sample_weight=sample_weight
        )
        rows = self._rows(X, sample_weight)
        return with_profile_bounds(rows, errors.intervals(level), self._fitted.mode_prior, progress=progress)

    def bootstrap(
        self,
        n_replications: int = 500,
        kind: BootstrapKind = "nonparametric",
        *,
        random_state: Any = None,
        n_threads: int | None = None,
        progress: Progress | None = None,
        X: Any = None,
        sample_weight: Any = None,
    ) -> Bootstrap:
        """Fit the same number of classes to many tables, and match their classes with those of the model.

        Parameters
        ----------
        n_replications : int
            Number of tables.
        kind : {"nonparametric", "parametric"}
            Rows drawn from the table with replacement, or from the mixture.
        random_state : int, generator or None
            Source of randomness; by default the seed of the model.
        n_threads : int, optional
            Number of threads; by default one per processor. The result is the same for any number.
        progress : function, optional
            Called after each replication with the number that are done, and the number of all.
        X, sample_weight : optional
            As in :meth:`standard_errors`.
        """
        fitted = self._fitted
        return bootstrap(
            self._rows(X, sample_weight),
            fitted.mixture,
            kind,
            fitted.mode_prior,
            n_replications=n_replications,
            weighting=fitted.params["weighting"],
            max_iter=fitted.params["max_iter"],
            random_state=self._seed(random_state),
            n_threads=n_threads,
            progress=progress,
        )

    def posterior_sample(
        self,
        n_draws: int = 1000,
        *,
        n_warmup: int = 500,
        n_chains: int = 4,
        start: Start = "mixture",
        random_state: Any = None,
        n_threads: int | None = None,
        progress: Progress | None = None,
        X: Any = None,
        sample_weight: Any = None,
    ) -> PosteriorSample:
        """Draw mixtures from their posterior distribution, by a Gibbs sampler on clusterings.

        Parameters
        ----------
        n_draws, n_warmup : int
            Sweeps of each chain that are kept, and sweeps before them.
        n_chains : int
            Number of chains.
        start : {"mixture", "random"}
            Start of the chains; see :func:`codelength.latent.inference.posterior_sample`.
        random_state, n_threads, progress
            As in :meth:`bootstrap`.
        X, sample_weight : optional
            As in :meth:`standard_errors`.
        """
        fitted = self._fitted
        return posterior_sample(
            self._rows(X, sample_weight),
            fitted.mixture,
            # The prior given, not the one of the mode: a sampler needs no mode.
            fitted.params["prior"],
            n_draws=n_draws,
            n_warmup=n_warmup,
            n_chains=n_chains,
            start=start,
            random_state=self._seed(random_state),
            n_threads=n_threads,
            progress=progress,
        )

    def likelihood_ratio_test(
        self,
        n_components: int | None = None,
        *,
        n_replications: int = 99,
        n_init: int = 10,
        random_state: Any = None,
        n_threads: int | None = None,
        progress: Progress | None = None,
        X: Any = None,
        sample_weight: Any = None,
    ) -> LikelihoodRatioTest:
        """Test a number of classes against one less by a parametric bootstrap.

        Parameters
        ----------
        n_components : int, optional
            The larger number; by default that of the model.
        n_replications, n_init : int
            Tables to draw, and starts of EM for each of them.
        random_state, n_threads, progress
            As in :meth:`bootstrap`.
        X, sample_weight : optional
            As in :meth:`standard_errors`.
        """
        fitted = self._fitted
        return likelihood_ratio_test(
            self._rows(X, sample_weight),
            fitted.mixture.n_components if n_components is None else n_components,
            fitted.mode_prior,
            n_replications=n_replications,
            n_init=n_init,
            max_iter=fitted.params["max_iter"],
            random_state=self._seed(random_state),
            n_threads=n_threads,
            progress=progress,
        )

    def _rows(self, X: Any, sample_weight: Any) -> Coded:
        """Return the rows given, or the training rows of the fit."""
        fitted = self._fitted
        # Those of the fit are scaled already; new ones still have the weights that were passed.
        return fitted.training if X is None else scaled(fitted.params, self._encoded(X, sample_weight))

    def _seed(self, random_state: Any) -> Any:
        """Return the random state given, or a stream that belongs to the model."""
        fitted = self._fitted
        # With the number of components, so that models of one table do not share replications.
        return [fitted.seed, fitted.mixture.n_components] if random_state is None else random_state

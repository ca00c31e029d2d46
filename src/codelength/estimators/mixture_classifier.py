"""A classifier on a finite mixture whose clustering is chosen by how well it predicts the class."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from ..errors import InvalidParameter
from ..mixture.candidates import METHODS
from ..mixture.prediction import MixtureRule
from ..naive_bayes import PriorLike
from ..selection.clusterings import SELECTION_CRITERIA
from ..table._messages import shown
from ..table.checks import check_choice, check_size
from ._fitted_mixture_classifier import FittedMixtureClassifier, range_of
from .classifier import TableClassifier
from .registry import register

MOST_CANDIDATES, MOST_COMPONENTS = 100_000, 100_000
"""Largest values of ``candidates`` and ``n_components``."""


@register
@dataclass(eq=False, repr=False)
class MixtureClassifier(TableClassifier):
    """A finite mixture over features and class, chosen by how well it predicts the class.

    Clusterings of the training rows are the models to choose among. Within a cluster the columns, the class
    among them, are independent; the class of a new row is predicted through its cluster, which is summed
    out. The criterion that chooses looks at the class alone, in contrast to the evidence, which rewards the
    description of all columns [1]_.

    The scores of the candidates are those of the rows that chose among them, and therefore optimistic, those
    by leave-one-out too. Use :func:`codelength.evaluate` to estimate how well the model predicts other rows:
    it clusters and chooses anew without the rows that are predicted.

    Sample weights are whole numbers, because a clustering puts whole rows in an order and into clusters.

    Parameters
    ----------
    criterion : str
        The code length, in nats, that chooses. Of the classes given the other cells, predicted row after
        row: ``"prequential"`` (mean over random orderings), ``"prequential_best"`` (least over them), or
        along a greedy ordering ``"best_first"``, ``"worst_last"``, ``"best_last"``, ``"worst_first"`` (time
        quadratic in the number of rows); ``"leave_one_out"``; and of whole rows, for comparison,
        ``"evidence"`` (given the clustering) or ``"evidence_with_clustering"``.
    candidates : int
        Number of clusterings to make.
    n_components : int or pair of int
        Least and largest number of clusters; candidates are spread over the range.
    n_orderings : int
        Random orderings, the same for all candidates; an even number is made of orderings and their
        reverses, whose mean varies less.
    average : bool
        Average over candidates, weighted by the criterion, instead of keeping the best.
    clustering : {"both", "kmeans", "em"}
        Method that makes candidates: k-means on indicator columns, EM, or both by turns.
    with_class : bool
        Use the class as a column of the clustering.
    prior : {"uniform", "jeffreys", "indifferent"}, float or Prior
        Dirichlet pseudocounts of the clusters and of the values in each; the class is the last variable.
    rule : {"map", "evidence", "stochastic_complexity"}, optional
        Predict with the clusters of all rows hidden, given only their number and a start from the best
        candidate: by the most probable mixture, by averaging over all clusterings (exactly for few rows,
        otherwise by Gibbs chains), or by the best fit to the data and the new row. By default the clusterings
        that were chosen predict.
    missing, handle_unknown, numeric, identifiers, strict, schema
        As in :class:`codelength.NaiveBayes`.
    random_state : int, generator or None
        Source of randomness. A number gives the same model every time.

    Attributes
    ----------
    candidates_, n_components_
        The clusterings that were compared; see the properties of these names.
    classes_, schema_, n_features_in_, feature_names_in_
        As in :class:`codelength.NaiveBayes`.

    References
    ----------
    .. [1] Kontkanen, Myllymäki and Tirri (2001). Comparing prequential model selection criteria in
           supervised learning of mixture models. AISTATS.

    Examples
    --------
    >>> from codelength import MixtureClassifier
    >>> table = {"left": ["on", "on", "off", "off"] * 5, "right": ["on", "off", "on", "off"] * 5}
    >>> model = MixtureClassifier(candidates=4, n_components=(2, 5), random_state=0)
    >>> model = model.fit(table, ["same", "differ", "differ", "same"] * 5)
    >>> model.predict({"left": ["off"], "right": ["on"]}), model.n_components_
    (array(['differ'], dtype='<U6'), 4)
    """

    _fitted_type = FittedMixtureClassifier
    _fitted: ClassVar[FittedMixtureClassifier]

    criterion: str = "prequential"
    _: KW_ONLY
    candidates: int = 40
    n_components: int | tuple[int, int] = (3, 20)
    n_orderings: int = 10
    average: bool = False
    clustering: str = "both"
    with_class: bool = True
    prior: PriorLike = "uniform"
    rule: MixtureRule | None = None
    random_state: Any = 0

    @property
    def candidates_(self) -> list[dict[str, Any]]:
        """One row per distinct candidate, the best first.

        Its number (from 1), the ``method`` that made it, ``n_components``, every criterion computed in nats,
        its ``weight`` in the prediction, and ``optimistic``, which is True: the rows that the criteria score
        are those that chose.
        """
        return self._fitted.candidate_rows()

    @property
    def n_components_(self) -> int:
        """Number of clusters of the best candidate."""
        return int(self._fitted.table[0]["n_components"])

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("criterion", self.criterion, SELECTION_CRITERIA)
        check_choice("clustering", self.clustering, ("both", *METHODS))
        check_size("candidates", self.candidates, MOST_CANDIDATES)
        check_size("n_orderings", self.n_orderings)
        if self.rule is not None:
            # A rule sums over clusterings itself; candidates only give it a start.
            check_choice("rule", self.rule, MixtureRule)
            if self.average:
                raise InvalidParameter(
                    f"rule={self.rule!r}: predicts with the clusters hidden, so there are no candidates to "
                    "average over; leave rule or average out"
                )
        # Each bound by itself, and then their order, so that the message is about the one that is wrong.
        sizes = self.n_components
        also = ", or the least and the largest one, such as (3, 20)"
        for size in sizes if isinstance(sizes, (tuple, list)) and len(sizes) == 2 else (sizes,):
            check_size("n_components", size, MOST_COMPONENTS, also=also)
        if range_of(sizes)[0] > range_of(sizes)[1]:
            raise InvalidParameter(
                f"n_components={shown(sizes)}: expected a whole number of at least 1{also}"
            )

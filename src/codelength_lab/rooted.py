r"""Naive Bayes drawn with another root: the networks of Figure 2 of the 2003 paper.

That the variables are independent given the class is a statement without directions. The network in which the
class is the parent of every variable makes it, and so does each network in which one variable is the parent
of the class instead and the class the parent of all others. The Dirichlet assumption puts independent
Dirichlet priors on the parameters of a network, and its predictions then depend on which of them was drawn:
with variable j as the root,

.. math:: P(c, x) = P(x_j)\, P(c \mid x_j) \prod_{i \neq j} P(x_i \mid c),

each factor being a count plus its pseudocount, divided by their sum. An equivalent sample size is the
exception: shared out evenly it is the same prior for all of these networks (Heckerman, Geiger and Chickering,
1995). So is a naive distribution (:mod:`codelength.naive_bayes.naive_distribution`), which knows no network.

References
----------
Cerquides and López de Mántaras (2003). The indifferent naive Bayes classifier. FLAIRS.
Heckerman, Geiger and Chickering (1995). Learning Bayesian networks. Machine Learning 20.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from codelength.counts import Counts
from codelength.errors import DataError, InvalidParameter
from codelength.naive_bayes.dirichlet import dirichlet_log_evidence
from codelength.naive_bayes.log_tables import LogTables
from codelength.naive_bayes.predictor import Predictor
from codelength.naive_bayes.scoring import Distributions, Scorer
from codelength.table import Coded
from codelength.table._messages import shown
from codelength.table.checks import check_instance
from codelength.table.values import is_number
from codelength.typing import FloatArray


@dataclass(frozen=True, eq=False)
class RootedNetwork:
    """Average of all naive Bayes models under the Dirichlet assumption, with a variable as the root.

    Made by :meth:`of`.

    Attributes
    ----------
    usual : Predictor
        The same counts with the class as the root.
    root : int
        Position of the variable that is the root.
    root_pseudocounts : array of shape (n_values,)
        Pseudocounts of its values.
    """

    usual: Predictor
    root: int
    root_pseudocounts: FloatArray

    @classmethod
    def of(cls, counts: Counts, root: int | str, prior: str | float = "uniform") -> "RootedNetwork":
        """Return the network of some counts with a given root.

        Parameters
        ----------
        counts : Counts
            The rows to predict from, of which none lacks a value of the root.
        root : int or str
            The variable that is the root, by name or position.
        prior : {"uniform"} or float
            All pseudocounts 1, or an equivalent sample size.

        Examples
        --------
        Predictions depend on the root of the network, unless the prior is a sample size:

        >>> from codelength.table import Schema
        >>> coded = Coded.of(Schema.from_sizes([2, 3], n_classes=2), [[0, 0], [0, 1], [1, 1]], [0, 0, 1])
        >>> from codelength.counts import count
        >>> for prior in ("uniform", 6.0):
        ...     networks = [RootedNetwork.of(count(coded), root, prior) for root in ("x0", "x1")]
        ...     networks.append(Predictor.of(count(coded), prior=prior))
        ...     print([round(float(np.exp(each.log_probs(coded).log_probs[2, 1])), 3) for each in networks])
        [0.714, 0.727, 0.69]
        [0.676, 0.676, 0.676]
        """
        check_instance("counts", counts, Counts, "Counts")
        if prior != "uniform" and not is_number(prior):
            raise InvalidParameter(
                f'prior={shown(prior)}: expected "uniform" or an equivalent sample size (a number above 0)'
            )
        i = counts.schema.position(root)
        # A missing root would make the class marginal a mixture over its values.
        if float(counts.of(i).sum()) < counts.n_rows:
            raise DataError(
                f"variable {shown(counts.schema.names[i])}: cells are missing, and a root without a value "
                'leaves no closed form; pass missing="value", or take another root'
            )
        usual = Predictor.of(counts, "evidence", prior)
        made = cls(usual, i, np.ones(counts.schema.variables[i].n_values))
        # An equivalent sample size is one prior for all networks: the pseudocounts of a value of the root are
        # those of its joint occurrences with the classes, added up.
        return made if prior == "uniform" else cls(usual, i, made._of_classes.sum(axis=0))

    @cached_property
    def tables(self) -> LogTables:
        """Log tables; a root that is missing in a row to predict is summed over."""
        tables, counts = self.usual.tables, self.usual.counts
        start, stop = counts.schema.offsets[self.root], counts.schema.offsets[self.root + 1] - 1
        seen = counts.of(self.root)
        of_root, of_classes = seen.sum(axis=0) + self.root_pseudocounts, seen + self._of_classes
        joint = of_root / of_root.sum() * (of_classes / of_classes.sum(axis=0))
        # The root carries the factor of the class as well, so that the class itself has weight 1.
        values = tables.value_table.copy()
        values[:, start:stop], values[:, stop] = np.log(joint), np.log(joint.sum(axis=1))
        return LogTables(np.zeros(counts.schema.n_classes), values, 0.0)

    def log_probs(self, coded: Coded) -> Distributions:
        """Return the log probability of each class for each row, in nats."""
        return Scorer.of(self.usual.counts.schema, self.tables).log_probs(coded)

    def evidence_code_length(self) -> float:
        """Return minus the log evidence of the counted rows, in nats."""
        counts, prior = self.usual.counts, self.usual.prior
        seen = counts.of(self.root)
        length = -float(dirichlet_log_evidence(seen.sum(axis=0), self.root_pseudocounts))
        length -= float(dirichlet_log_evidence(seen.T, self._of_classes.T).sum())
        for i in set(range(counts.schema.n_variables)) - {self.root}:
            cells = np.s_[counts.schema.offsets[i] : counts.schema.offsets[i + 1] - 1]
            length -= float(dirichlet_log_evidence(counts.of(i), prior.value_pseudocounts[:, cells]).sum())
        return length

    @property
    def _of_classes(self) -> FloatArray:
        """Pseudocounts of the classes given each value of the root, shape (n_classes, n_values)."""
        offsets = self.usual.counts.schema.offsets
        return self.usual.prior.value_pseudocounts[:, offsets[self.root] : offsets[self.root + 1] - 1]

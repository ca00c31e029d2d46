"""The slow and readable form of every definition: what the fast kernels are compared with.

Nothing is imported from the package, and nothing is clever: plain loops over rows and cells, a
refit wherever the definition says "without this row", an enumeration wherever it says "sum over all".
Where a definition is rational the result is an exact ``Fraction``; otherwise it is a float made of
``math.log`` and ``math.lgamma``.

A table is a list of rows, a row is a list of codes ``0 .. n_values[i] - 1``, and ``None`` is a missing
cell: it makes no count and no factor. Hyperparameters are nested lists, one number for each class and
for each class, variable and value. Logs are natural.

Equations are those of

- P1: Kontkanen et al. (1997), Comparing predictive inference methods for discrete domains
- P2: Kontkanen et al. (1998), Bayes optimal instance-based learning
- P3: Cerquides and López de Màntaras (2003), The indifferent naive Bayes classifier
- P4: Kontkanen et al. (1997), On the accuracy of stochastic complexity approximations
- P5: Kontkanen et al. (2001), Comparing prequential model selection criteria
"""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

Number: TypeAlias = Any
"""An int, a Fraction, a float or a Decimal: the arithmetic follows what is given."""
Row: TypeAlias = Sequence[int | None]
Rows: TypeAlias = Sequence[Row]
Labels: TypeAlias = Sequence[int]
Weights: TypeAlias = list[Fraction | None] | None
"""One weight for each class; None where it is 0/0, and for all at once where the rule does not exist."""


class Counts(NamedTuple):
    """The sufficient statistics h_k and f_kil."""

    class_counts: list[Number]
    value_counts: list[list[list[Number]]]


class Prior(NamedTuple):
    """The Dirichlet hyperparameters mu_k and sigma_kil."""

    class_pseudocounts: Sequence[Number]
    value_pseudocounts: Sequence[Sequence[Sequence[Number]]]


class Parameters(NamedTuple):
    """The model alpha_k and phi_kil; None stands for a distribution that is 0/0."""

    class_probs: list[Number] | None
    value_probs: list[list[list[Number] | None]]


def exact(number: Number) -> int | Fraction:
    """Return the number as an int or a Fraction, whatever its type.

    >>> exact("3/2"), exact(0.5), exact(2)
    (Fraction(3, 2), Fraction(1, 2), 2)
    """
    return Fraction(number) if isinstance(number, float | str | Fraction) else int(number)


def ratio(numerator: Number, denominator: Number) -> Number:
    """Divide without rounding where both are exact; floats and decimals divide as usual.

    >>> ratio(1, 3), ratio(1.0, 4)
    (Fraction(1, 3), 0.25)
    """
    if isinstance(numerator, int) and isinstance(denominator, int):
        return Fraction(numerator, denominator)
    return numerator / denominator


def log(number: Number) -> float:
    """Natural log, accurate also for fractions near 1 and for those that underflow a float.

    >>> log(Fraction(0)), round(log(Fraction(1, 10**400)), 9)
    (-inf, -921.034037198)
    """
    if number == 0:
        return -math.inf
    if isinstance(number, Decimal):
        return float(number.ln())
    if isinstance(number, float):
        return math.log(number)
    fraction = exact(number)
    if Fraction(1, 2) < fraction < 2:
        return math.log1p(float(fraction - 1))
    return math.log(fraction.numerator) - math.log(fraction.denominator)


def uniform_prior(n_values: Sequence[int], n_classes: int) -> Prior:
    """All hyperparameters 1."""
    return Prior([1] * n_classes, [[[1] * n for n in n_values] for _ in range(n_classes)])


def n_values_of(prior: Prior) -> list[int]:
    """Return the number of values of each variable, read off the hyperparameters."""
    return [len(block) for block in prior.value_pseudocounts[0]]


def whole(number: Number) -> int:
    """Return the number as an int, refusing to round it.

    >>> whole(Fraction(4, 2))
    2
    """
    if number != int(number):
        raise ValueError(f"count {number} is not a whole number; use the function of logs")
    return int(number)


def product(numbers: Iterable[Number]) -> Fraction:
    """Multiply exactly, starting from 1."""
    total: Fraction = math.prod(numbers, start=Fraction(1))
    return total


def observed(row: Row) -> list[tuple[int, int]]:
    """Pairs (variable, value) of the cells of a row that are not missing."""
    return [(i, value) for i, value in enumerate(row) if value is not None]


def count(
    rows: Rows,
    labels: Labels,
    n_values: Sequence[int],
    n_classes: int,
    weights: Sequence[Number] | None = None,
) -> Counts:
    """h_k and f_kil of P1, section 3; a row of weight w counts w times.

    >>> count([[0, 1], [None, 1]], [0, 0], [2, 2], 1)
    Counts(class_counts=[2], value_counts=[[[1, 0], [0, 2]]])
    """
    class_counts: list[Number] = [0] * n_classes
    value_counts: list[list[list[Number]]] = [[[0] * n for n in n_values] for _ in range(n_classes)]
    for j, (row, label) in enumerate(zip(rows, labels, strict=True)):
        weight = 1 if weights is None else exact(weights[j])
        class_counts[label] += weight
        for i, value in enumerate(row):
            if value is not None:
                value_counts[label][i][value] += weight
    return Counts(class_counts, value_counts)


def soft_count(
    rows: Rows, responsibilities: Sequence[Sequence[Number]], n_values: Sequence[int], n_classes: int
) -> Counts:
    """Expected counts: row j belongs to class k with weight ``responsibilities[j][k]``."""
    class_counts: list[Number] = [0] * n_classes
    value_counts: list[list[list[Number]]] = [[[0] * n for n in n_values] for _ in range(n_classes)]
    for row, shares in zip(rows, responsibilities, strict=True):
        for k, share in enumerate(shares):
            class_counts[k] += share
            for i, value in observed(row):
                value_counts[k][i][value] += share
    return Counts(class_counts, value_counts)


def with_row(counts: Counts, row: Row, label: int) -> Counts:
    """Counts of the data with one more row, D+ of P1."""
    class_counts = list(counts.class_counts)
    value_counts = [[list(block) for block in blocks] for blocks in counts.value_counts]
    class_counts[label] += 1
    for i, value in observed(row):
        value_counts[label][i][value] += 1
    return Counts(class_counts, value_counts)


def leave_one_out_counts(
    rows: Rows,
    labels: Labels,
    n_values: Sequence[int],
    n_classes: int,
    weights: Sequence[Number] | None = None,
) -> list[Counts]:
    """Counts of all rows but one copy of row j, for every j, each counted from the start.

    A row of weight w is repeated: see :func:`copies`.
    """
    found = []
    for j in range(len(rows)):
        kept = [
            (row, label, weight)
            for i, (row, label) in enumerate(zip(rows, labels, strict=True))
            for weight in copies(1 if weights is None else weights[i])[1 if i == j else 0 :]
        ]
        found.append(
            count(
                [row for row, _, _ in kept],
                [label for _, label, _ in kept],
                n_values,
                n_classes,
                [weight for _, _, weight in kept],
            )
        )
    return found


def copies(weight: Number) -> list[Number]:
    """Weights of the equal rows that a weighted row stands for: as many as it has whole parts, or one.

    >>> copies(3), copies("5/2"), copies("1/4")
    ([1, 1, 1], [Fraction(5, 4), Fraction(5, 4)], [Fraction(1, 4)])
    """
    n_copies = max(1, math.floor(exact(weight)))
    return [1 if weight == n_copies else ratio(exact(weight), n_copies)] * n_copies


def probabilities(weights: Weights) -> list[Fraction] | None:
    """Divide by the sum, P1 equation (2); None where that is 0/0.

    >>> probabilities([Fraction(1), Fraction(3)]), probabilities([Fraction(0), Fraction(0)])
    ([Fraction(1, 4), Fraction(3, 4)], None)
    """
    if weights is None:
        return None
    known = [weight for weight in weights if weight is not None]
    total = sum(known)
    if len(known) < len(weights) or total == 0:
        return None
    return [ratio(weight, total) for weight in known]


def probabilities_from_logs(log_weights: Sequence[float]) -> list[float] | None:
    """``probabilities`` for weights that are known by their logs only."""
    largest = max(log_weights)
    if largest == -math.inf:
        return None
    shifted = [math.exp(log_weight - largest) for log_weight in log_weights]
    return [weight / math.fsum(shifted) for weight in shifted]


def argmax(numbers: Sequence[Number]) -> int:
    """Position of the largest number; the lowest position wins a tie."""
    return max(range(len(numbers)), key=lambda position: numbers[position])


def _normalised(numbers: Sequence[Number]) -> list[Number] | None:
    total = sum(numbers)
    return None if total == 0 else [ratio(number, total) for number in numbers]


def posterior_mode(
    counts: Counts, prior: Prior, number: Callable[[Number], Number] = exact
) -> Parameters | None:
    """The parameters of P2 equation (7): count plus hyperparameter minus one, normalised.

    None where one of those is negative: the posterior density then has no mode of this form.
    A block in which all of them are zero is 0/0, and None in the result.
    """
    # The 1 is taken from the hyperparameter first: a tiny expected count would be lost beside it.
    class_excess = [
        number(h) + (number(mu) - 1)
        for h, mu in zip(counts.class_counts, prior.class_pseudocounts, strict=True)
    ]
    value_excess = [
        [
            [number(f) + (number(sigma) - 1) for f, sigma in zip(*blocks, strict=True)]
            for blocks in zip(*classes, strict=True)
        ]
        for classes in zip(counts.value_counts, prior.value_pseudocounts, strict=True)
    ]
    if min(class_excess) < 0 or any(e < 0 for blocks in value_excess for block in blocks for e in block):
        return None
    return Parameters(
        _normalised(class_excess), [[_normalised(block) for block in blocks] for blocks in value_excess]
    )


def filled(parameters: Parameters, n_values: Sequence[int], one: Number = Fraction(1)) -> Parameters:
    """Replace every distribution that is 0/0 by the uniform one."""
    n_classes = len(parameters.value_probs)
    return Parameters(
        parameters.class_probs or [one / n_classes] * n_classes,
        [
            [block or [one / n] * n for block, n in zip(blocks, n_values, strict=True)]
            for blocks in parameters.value_probs
        ],
    )


def map_weights(row: Row, counts: Counts, prior: Prior) -> Weights:
    """P(d[k] | mode of the posterior) for every class k: P1 equation (4), P2 equation (7).

    None for all classes together where there is no mode (a negative count plus hyperparameter minus
    one). A class weighs zero as soon as one of its factors is zero, whatever the others are; it is 0/0,
    and None, where no factor is zero and some factor is 0/0.
    """
    mode = posterior_mode(counts, prior)
    if mode is None:
        return None
    weights: list[Fraction | None] = []
    for k, blocks in enumerate(mode.value_probs):
        factors = [None if mode.class_probs is None else mode.class_probs[k]]
        for i, value in observed(row):
            block = blocks[i]
            factors.append(None if block is None else block[value])
        if 0 in factors:
            weights.append(Fraction(0))
        else:
            weights.append(None if None in factors else product(factors))
    return weights


def evidence_weights(row: Row, counts: Counts, prior: Prior) -> list[Fraction]:
    """P(d[k] | D), all models averaged, for every class k: P2 equation (9)."""
    class_sums = [
        exact(h) + exact(mu) for h, mu in zip(counts.class_counts, prior.class_pseudocounts, strict=True)
    ]
    weights = []
    for k, class_sum in enumerate(class_sums):
        weight = ratio(class_sum, sum(class_sums))
        for i, value in observed(row):
            block = counts.value_counts[k][i]
            sums = [exact(f) + exact(s) for f, s in zip(block, prior.value_pseudocounts[k][i], strict=True)]
            weight *= ratio(sums[value], sum(sums))
        weights.append(weight)
    return weights


def indifferent_weights(row: Row, counts: Counts) -> list[Fraction]:
    """P(d[k] | D) under the indifferent prior for every class k: P3 equations (16), (17) in (3)."""
    n_values = [len(block) for block in counts.value_counts[0]]
    class_sums = [exact(h) + 1 + sum(n_values) - len(n_values) for h in counts.class_counts]
    weights = []
    for k, class_sum in enumerate(class_sums):
        weight = ratio(class_sum, sum(class_sums))
        for i, value in observed(row):
            block = [exact(f) for f in counts.value_counts[k][i]]
            weight *= ratio(block[value] + 1, sum(block) + n_values[i])
        weights.append(weight)
    return weights


def blocks_of(counts: Counts) -> list[list[Number]]:
    """Every multinomial of the model as a list of counts: the classes, then each class and variable."""
    return [counts.class_counts, *(block for blocks in counts.value_counts for block in blocks)]


def maximised_likelihood(counts: Counts) -> Fraction:
    """P(D | maximum likelihood parameters of D), for whole counts: P1, last formula of section 3."""
    likelihood = Fraction(1)
    for block in blocks_of(counts):
        total = sum(block)
        # A count of zero is left out because 0 ** 0 is 1, also where the block is 0/0.
        likelihood *= product(Fraction(whole(n), whole(total)) ** whole(n) for n in block if n > 0)
    return likelihood


def log_maximised_likelihood(counts: Counts) -> float:
    """Log of ``maximised_likelihood``, for counts that may be fractions of rows."""
    terms = []
    for block in blocks_of(counts):
        total = sum(block)
        terms += [float(n) * math.log(n / total) for n in block if n > 0]
    return math.fsum(terms)


def stochastic_complexity_weights(row: Row, counts: Counts) -> list[Fraction]:
    """P(d[k], D | maximum likelihood parameters of D and d[k]): P1 equation (8), for whole counts."""
    return [maximised_likelihood(with_row(counts, row, k)) for k in range(len(counts.class_counts))]


def stochastic_complexity_log_weights(row: Row, counts: Counts) -> list[float]:
    """Logs of ``stochastic_complexity_weights``, for counts that may be fractions; the new row counts 1."""
    return [log_maximised_likelihood(with_row(counts, row, k)) for k in range(len(counts.class_counts))]


def _log_dirichlet_multinomial(block: Sequence[Number], pseudocounts: Sequence[Number]) -> float:
    total, total_pseudocount = sum(map(exact, block)), sum(map(exact, pseudocounts))
    terms = [math.lgamma(total_pseudocount), -math.lgamma(total + total_pseudocount)]
    for n, a in zip(block, pseudocounts, strict=True):
        terms += [math.lgamma(exact(n) + exact(a)), -math.lgamma(exact(a))]
    return math.fsum(terms)


def log_evidence_of_labels(counts: Counts, prior: Prior) -> float:
    """Log P(y): the first line of P2 equation (8)."""
    return _log_dirichlet_multinomial(counts.class_counts, prior.class_pseudocounts)


def log_evidence_given_labels(counts: Counts, prior: Prior) -> float:
    """Log P(X | y): the second line of P2 equation (8)."""
    return math.fsum(
        _log_dirichlet_multinomial(block, pseudocounts)
        for classes in zip(counts.value_counts, prior.value_pseudocounts, strict=True)
        for block, pseudocounts in zip(*classes, strict=True)
    )


def log_evidence(counts: Counts, prior: Prior) -> float:
    """Log P(D), all models averaged: P2 equation (8), P4 equation (9). Counts may be fractions."""
    return math.fsum([log_evidence_of_labels(counts, prior), log_evidence_given_labels(counts, prior)])


def _dirichlet_multinomial(block: Sequence[Number], pseudocounts: Sequence[Number]) -> Fraction:
    """Probability of a sequence with these whole counts, as a product of one-step predictions."""
    seen, total = Fraction(1), sum(map(exact, pseudocounts))
    for n, a in zip(block, map(exact, pseudocounts), strict=True):
        seen *= product(a + j for j in range(whole(n)))
    return seen / product(total + j for j in range(whole(sum(block))))


def evidence_of_labels(counts: Counts, prior: Prior) -> Fraction:
    """P(y) as an exact fraction, for whole counts."""
    return _dirichlet_multinomial(counts.class_counts, prior.class_pseudocounts)


def evidence_given_labels(counts: Counts, prior: Prior) -> Fraction:
    """P(X | y) as an exact fraction, for whole counts."""
    return product(
        _dirichlet_multinomial(block, pseudocounts)
        for classes in zip(counts.value_counts, prior.value_pseudocounts, strict=True)
        for block, pseudocounts in zip(*classes, strict=True)
    )


def evidence(counts: Counts, prior: Prior) -> Fraction:
    """P(D) as an exact fraction, for whole counts: P2 equation (8), P4 equation (9)."""
    return evidence_of_labels(counts, prior) * evidence_given_labels(counts, prior)


class Term(NamedTuple):
    """One clustering and its share P(Z, D) of the sum in P4 equation (11)."""

    clustering: tuple[int, ...]
    probability: Fraction


def clustering_counts(rows: Rows, clustering: Labels, prior: Prior) -> Counts:
    """Counts of the data completed by a clustering."""
    return count(rows, clustering, n_values_of(prior), len(prior.class_pseudocounts))


def mixture_terms(rows: Rows, prior: Prior) -> list[Term]:
    """P(Z, D) of all K ** N clusterings, in lexicographic order: P4 equation (9)."""
    n_components = len(prior.class_pseudocounts)
    return [
        Term(clustering, evidence(clustering_counts(rows, clustering, prior), prior))
        for clustering in itertools.product(range(n_components), repeat=len(rows))
    ]


def mixture_evidence(terms: Sequence[Term]) -> Fraction:
    """P(D), the sum over all clusterings: P4 equation (10). Minus its log is the exact code length."""
    return sum((term.probability for term in terms), Fraction(0))


def best_terms(terms: Sequence[Term]) -> list[Term]:
    """Terms of the clusterings that maximise P(Z, D), lexicographically."""
    largest = max(term.probability for term in terms)
    return [term for term in terms if term.probability == largest]


def terms_needed_for_mass(terms: Sequence[Term], share: Number) -> int:
    """Return how many of the largest terms make up at least this share of P(D)."""
    goal, mass = exact(share) * mixture_evidence(terms), Fraction(0)
    for s, probability in enumerate(sorted((term.probability for term in terms), reverse=True), start=1):
        mass += probability
        if mass >= goal:
            return s
    raise ValueError(f"share {share} is larger than 1")


def terms_needed_for_code_length(terms: Sequence[Term], share: Number) -> int:
    """Fewest largest terms with share * SC(s) <= SC, where SC(s) is P4 equation (12).

    With the share a / b this is P(s) ** a >= P ** b, which needs no logs.
    """
    share, mass, total = exact(share), Fraction(0), mixture_evidence(terms)
    for s, probability in enumerate(sorted((term.probability for term in terms), reverse=True), start=1):
        mass += probability
        if mass**share.numerator >= total**share.denominator:
            return s
    raise ValueError(f"share {share} is larger than 1")


def n_parameters(n_values: Sequence[int], n_components: int) -> int:
    """Free parameters d = (K - 1) + K * sum(n_i - 1), as in P4 equations (4) and (5)."""
    return n_components - 1 + n_components * sum(n - 1 for n in n_values)


def joint_probs(row: Row, parameters: Parameters) -> list[Number]:
    """P(row, Y = k | parameters) for every component k: the terms of P4 equation (8)."""
    if parameters.class_probs is None:
        raise ValueError("the class distribution is 0/0")
    weights = []
    for weight, blocks in zip(parameters.class_probs, parameters.value_probs, strict=True):
        for i, value in observed(row):
            block = blocks[i]
            if block is None:
                raise ValueError(f"variable {i}: the distribution is 0/0")
            weight = weight * block[value]
        weights.append(weight)
    return weights


def log_likelihood(rows: Rows, parameters: Parameters) -> float:
    """Log P(D | parameters), the components summed out: P4 equation (8) over all rows."""
    return math.fsum(log(sum(joint_probs(row, parameters))) for row in rows)


def complete_log_likelihood(counts: Counts, parameters: Parameters) -> float:
    """Log P(D, Z | parameters) from the counts of the completed data, which may be expected ones."""
    if parameters.class_probs is None:
        raise ValueError("the class distribution is 0/0")
    blocks = [parameters.class_probs, *(block for blocks in parameters.value_probs for block in blocks)]
    return math.fsum(
        float(n) * log(probability)
        for block, probs in zip(blocks_of(counts), blocks, strict=True)
        for n, probability in zip(block, probs or [], strict=True)
        if n > 0
    )


def mode_of_completed(counts: Counts, prior: Prior, number: Callable[[Number], Number] = exact) -> Parameters:
    """Posterior mode of completed data; what is 0/0, such as an empty component, becomes uniform."""
    mode = posterior_mode(counts, prior, number)
    if mode is None:
        raise ValueError("a count plus hyperparameter minus one is negative: there is no mode")
    return filled(mode, n_values_of(prior), number(Fraction(1)))


def bic_code_length(rows: Rows, parameters: Parameters) -> float:
    """Minus log P(D | parameters) + d / 2 log N: P4 equation (4)."""
    n_values = [len(block or []) for block in parameters.value_probs[0]]
    d = n_parameters(n_values, len(parameters.value_probs))
    return -log_likelihood(rows, parameters) + d / 2 * math.log(len(rows))


def aic_code_length(rows: Rows, parameters: Parameters) -> float:
    """Minus log P(D | parameters) + d: P4 equation (5) with its signs put right."""
    n_values = [len(block or []) for block in parameters.value_probs[0]]
    return -log_likelihood(rows, parameters) + n_parameters(n_values, len(parameters.value_probs))


def bic_at(rows: Rows, clustering: Labels, prior: Prior) -> float:
    """BIC with the posterior mode of the data completed by a clustering."""
    return bic_code_length(rows, mode_of_completed(clustering_counts(rows, clustering, prior), prior))


def aic_at(rows: Rows, clustering: Labels, prior: Prior) -> float:
    """AIC with the posterior mode of the data completed by a clustering."""
    return aic_code_length(rows, mode_of_completed(clustering_counts(rows, clustering, prior), prior))


def _cheeseman_stutz(rows: Rows, counts: Counts, prior: Prior, mode: Parameters) -> float:
    return -math.fsum(
        [log_likelihood(rows, mode), log_evidence(counts, prior), -complete_log_likelihood(counts, mode)]
    )


def cheeseman_stutz_hard(rows: Rows, clustering: Labels, prior: Prior) -> float:
    """P4 equation (6), the data completed by a clustering."""
    counts = clustering_counts(rows, clustering, prior)
    return _cheeseman_stutz(rows, counts, prior, mode_of_completed(counts, prior))


def cheeseman_stutz_soft(
    rows: Rows,
    responsibilities: Sequence[Sequence[Number]],
    prior: Prior,
    parameters: Parameters | None = None,
) -> float:
    """P4 equation (6), the data completed by expected counts.

    The parameters are those given, such as the ones EM ended with, or else the posterior mode of the
    expected counts. The two agree once EM has converged.
    """
    shares = [[float(share) for share in row] for row in responsibilities]
    counts = soft_count(rows, shares, n_values_of(prior), len(prior.class_pseudocounts))
    return _cheeseman_stutz(rows, counts, prior, parameters or mode_of_completed(counts, prior, float))


def neighbours(clustering: Labels, n_components: int) -> list[list[int]]:
    """All N (K - 1) clusterings that differ from this one in a single row: P4, section 4.3.

    >>> neighbours([0, 1], 2)
    [[1, 1], [0, 0]]
    """
    return [
        [*clustering[:j], k, *clustering[j + 1 :]]
        for j in range(len(clustering))
        for k in range(n_components)
        if k != clustering[j]
    ]


def neighbourhood_code_length(
    rows: Rows, clustering: Labels, prior: Prior, with_centre: bool = True, radius: int = 1
) -> float | None:
    """LN of P4 equation (7); None where the neighbourhood is empty."""
    chosen = [
        list(z)
        for z in itertools.product(range(len(prior.class_pseudocounts)), repeat=len(rows))
        if 1 - with_centre <= sum(a != b for a, b in zip(z, clustering, strict=True)) <= radius
    ]
    if not chosen:
        return None
    return -log(sum(evidence(clustering_counts(rows, z, prior), prior) for z in chosen))


class EmState(NamedTuple):
    """What one iteration of EM ends with."""

    parameters: Parameters
    responsibilities: list[list[Number]]
    log_likelihood: float


def em(
    rows: Rows,
    responsibilities: Sequence[Sequence[Number]],
    prior: Prior,
    n_iterations: int,
    number: Callable[[Number], Number] = float,
) -> list[EmState]:
    """MAP-EM from given responsibilities: the states after iterations 1 .. ``n_iterations``.

    An iteration estimates the posterior mode from the expected counts, then the responsibilities from
    the mode; the log likelihood is that of the mode, without the prior. ``number`` chooses the
    arithmetic, such as ``float``.
    """
    shares = [[number(share) for share in row] for row in responsibilities]
    states = []
    for _ in range(n_iterations):
        counts = soft_count(rows, shares, n_values_of(prior), len(prior.class_pseudocounts))
        mode = mode_of_completed(counts, prior, number)
        shares = []
        for row in rows:
            joint = joint_probs(row, mode)
            shares.append([weight / sum(joint) for weight in joint])
        states.append(EmState(mode, shares, log_likelihood(rows, mode)))
    return states


def goodness_of_fit(rows: Rows, parameters: Parameters) -> tuple[float, float]:
    """G2 and Pearson's chi-squared over all cells of the multiway table, from the rows without gaps.

    >>> coin = Parameters([Fraction(1)], [[[Fraction(1, 2), Fraction(1, 2)]]])
    >>> goodness_of_fit([[0], [1], [None], [0], [1]], coin)
    (0.0, 0.0)
    """
    complete = [tuple(row) for row in rows if None not in row]
    sizes = [len(block) for block in parameters.value_probs[0]]
    g2 = chi2 = 0.0
    for cell in itertools.product(*(range(size) for size in sizes)):
        seen, expected = complete.count(cell), len(complete) * sum(joint_probs(cell, parameters))
        g2 += 2 * seen * log(seen / expected) if seen else 0.0
        chi2 += float((seen - expected) ** 2 / expected) if expected else 0.0
    return g2, chi2


def bivariate_residual(rows: Rows, parameters: Parameters, i: int, j: int) -> float:
    """Pearson's chi-squared of the two-way table of a pair over its degrees of freedom.

    Expected are the rows in which both are there, each shared out over the classes, within which the two
    are independent.

    >>> coins = Parameters([Fraction(1)], [[[Fraction(1, 2), Fraction(1, 2)]] * 2])
    >>> bivariate_residual([[0, 0], [1, 1]] * 3, coins, 0, 1)
    6.0
    """
    both = [row for row in rows if row[i] is not None and row[j] is not None]
    blocks = parameters.value_probs
    chi2 = 0.0
    for a in range(len(blocks[0][i])):
        for b in range(len(blocks[0][j])):
            seen = sum(row[i] == a and row[j] == b for row in both)
            expected = 0.0
            for row in both:
                joint = joint_probs(row, parameters)
                expected += sum(
                    float(p / sum(joint) * blocks[k][i][a] * blocks[k][j][b]) for k, p in enumerate(joint)
                )
            chi2 += (seen - expected) ** 2 / expected if expected else 0.0
    return chi2 / ((len(blocks[0][i]) - 1) * (len(blocks[0][j]) - 1))


def relative_entropy(rows: Rows, parameters: Parameters) -> float:
    """How certain rows are of their classes: 1 where all of them are, 0 where none says anything.

    >>> half = [Fraction(1, 2), Fraction(1, 2)]
    >>> relative_entropy([[0], [1]], Parameters(half, [[half], [half]]))
    0.0
    """
    entropy = 0.0
    for row in rows:
        joint = joint_probs(row, parameters)
        entropy -= sum(float(p / sum(joint)) * log(p / sum(joint)) for p in joint if p)
    return 1 - entropy / (len(rows) * math.log(len(joint_probs(rows[0], parameters))))


def hard_clustering(responsibilities: Sequence[Sequence[Number]]) -> list[int]:
    """Most probable component of each row; the lowest index wins a tie."""
    return [argmax(shares) for shares in responsibilities]


def class_distribution(row: Row, class_column: int, counts: Counts, prior: Prior) -> list[Fraction]:
    """P(V | u, history) with the label of the new row summed out: P5 equation (6).

    The class is one of the columns; its cell in ``row`` is not looked at.
    """
    joint = []
    for value in range(len(prior.value_pseudocounts[0][class_column])):
        completed = [*row[:class_column], value, *row[class_column + 1 :]]
        joint.append(sum(evidence_weights(completed, counts, prior), Fraction(0)))
    total = sum(joint, Fraction(0))
    return [weight / total for weight in joint]


def predict_from_clustering(
    row: Row, rows: Rows, clustering: Labels, class_column: int, prior: Prior
) -> list[Fraction]:
    """Class distribution of a new row when ``rows`` with their labels are the history."""
    return class_distribution(row, class_column, clustering_counts(rows, clustering, prior), prior)


def _prob_of_class(
    j: int, history: Labels, rows: Rows, clustering: Labels, column: int, prior: Prior
) -> Fraction:
    """Probability of the class of row j when the rows of ``history`` are known with their labels."""
    known_rows, known_labels = [rows[i] for i in history], [clustering[i] for i in history]
    value = rows[j][column]
    if value is None:
        raise ValueError(f"row {j}: the class is missing and cannot be predicted")
    return predict_from_clustering(rows[j], known_rows, known_labels, column, prior)[value]


def prequential_probs(
    rows: Rows, clustering: Labels, order: Labels, class_column: int, prior: Prior
) -> list[Fraction]:
    """P(v_t | rows before t, u_t) along an ordering of the rows: the terms of P5 equation (5)."""
    return [_prob_of_class(j, order[:t], rows, clustering, class_column, prior) for t, j in enumerate(order)]


def leave_one_out_probs(rows: Rows, clustering: Labels, class_column: int, prior: Prior) -> list[Fraction]:
    """P(v_j | all other rows, u_j) in row order: L-O-O of P5, table 1."""
    everything = range(len(rows))
    return [
        _prob_of_class(j, [i for i in everything if i != j], rows, clustering, class_column, prior)
        for j in everything
    ]


def code_length(probs: Iterable[Number]) -> float:
    """Minus the sum of logs: P5 equation (5), smaller is better."""
    return -math.fsum(log(probability) for probability in probs)


def _forward_order(rows: Rows, clustering: Labels, class_column: int, prior: Prior, sign: int) -> list[int]:
    order: list[int] = []
    remaining = list(range(len(rows)))
    while remaining:
        gains = [sign * _prob_of_class(j, order, rows, clustering, class_column, prior) for j in remaining]
        order.append(remaining.pop(argmax(gains)))
    return order


def _backward_order(rows: Rows, clustering: Labels, class_column: int, prior: Prior, sign: int) -> list[int]:
    order: list[int] = []
    remaining = list(range(len(rows)))
    while remaining:
        gains = [
            sign * _prob_of_class(j, [i for i in remaining if i != j], rows, clustering, class_column, prior)
            for j in remaining
        ]
        order.insert(0, remaining.pop(argmax(gains)))
    return order


def best_first_order(rows: Rows, clustering: Labels, class_column: int, prior: Prior) -> list[int]:
    """From the first place on, the row whose class is predicted best: P5, section 3."""
    return _forward_order(rows, clustering, class_column, prior, 1)


def worst_first_order(rows: Rows, clustering: Labels, class_column: int, prior: Prior) -> list[int]:
    """From the first place on, the row whose class is predicted worst: P5, section 3."""
    return _forward_order(rows, clustering, class_column, prior, -1)


def worst_last_order(rows: Rows, clustering: Labels, class_column: int, prior: Prior) -> list[int]:
    """From the last place back, the row predicted worst from the other rows left: P5, section 3."""
    return _backward_order(rows, clustering, class_column, prior, -1)


def best_last_order(rows: Rows, clustering: Labels, class_column: int, prior: Prior) -> list[int]:
    """From the last place back, the row predicted best from the other rows left: P5, section 3."""
    return _backward_order(rows, clustering, class_column, prior, 1)


def joint_prequential_code_length(rows: Rows, clustering: Labels, order: Labels, prior: Prior) -> float:
    """Minus sum of log P(x_t | rows before t), the label of row t summed out.

    It equals neither -log P(D | z) nor -log P(D, z), because each label enters the history afterwards.
    """
    probs = []
    for t, j in enumerate(order):
        history = order[:t]
        counts = clustering_counts([rows[i] for i in history], [clustering[i] for i in history], prior)
        probs.append(sum(evidence_weights(rows[j], counts, prior)))
    return code_length(probs)

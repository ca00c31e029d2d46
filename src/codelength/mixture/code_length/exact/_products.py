"""Products of clusters and remainders, block by block. Arrays in, arrays out, nothing checked.

Sums may be reassociated for vectorisation: all terms are positive, so every order is equally accurate.
"""

from numba import njit

from ....typing import FloatArray, IntArray

N_BITS = 4
"""Number of lowest digits that are processed together, in registers, if each is a single row."""

Four = tuple[float, float, float, float]


@njit(cache=True, nogil=True)
def add_products(
    remainders: FloatArray,
    weights: FloatArray,
    block: int,
    partners: IntArray,
    by_bits: bool,
    share: float,
    part: FloatArray,
    total: FloatArray,
) -> None:
    """Add the products of one block of remainders and clusters, for all partners of the block.

    Parameters
    ----------
    remainders, weights : arrays of shape (n_tile,)
        Summed weights of the remainders, and weights of the clusters, of one pair of tiles.
    block : int
        The block of remainders.
    partners : array
        Blocks that fit together with it.
    by_bits : bool
        Whether a block is four single rows, rather than one digit.
    share : float
        Factor of the products.
    part : array of shape (n_low,)
        Scratch.
    total : array of shape (n_tile,)
        Sums, to which the products are added.
    """
    if by_bits:
        _products_of_bits(remainders, weights, block, partners, part)
    else:
        _products_of_digit(remainders, weights, block, partners, part)
    start = block * len(part)
    for r in range(len(part)):
        total[start + r] += share * part[r]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _products_of_digit(
    remainders: FloatArray, weights: FloatArray, block: int, partners: IntArray, part: FloatArray
) -> None:
    """Add the products within one digit, which may hold many copies of its row."""
    n_low = len(part)
    part.fill(0.0)
    for e in range(len(partners)):
        partner = partners[e]
        left = remainders[(block + partner) * n_low : (block + partner + 1) * n_low]
        taken = weights[partner * n_low : (partner + 1) * n_low]
        for t in range(n_low):
            for r in range(n_low - t):
                part[r] += left[r + t] * taken[t]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _products_of_bits(
    remainders: FloatArray, weights: FloatArray, block: int, partners: IntArray, part: FloatArray
) -> None:
    """Add the 81 products of disjoint subsets of four rows, as nine times the nine of two rows."""
    p0 = p1 = p2 = p3 = (0.0, 0.0, 0.0, 0.0)
    # By index: over the array itself the loop is not vectorised, and takes twice as long.
    for e in range(len(partners)):
        partner = partners[e]
        a, b = (block + partner) << N_BITS, partner << N_BITS
        q0, q1 = _four(remainders, a), _four(remainders, a + 4)
        q2, q3 = _four(remainders, a + 8), _four(remainders, a + 12)
        w0, w1 = _four(weights, b), _four(weights, b + 4)
        w2, w3 = _four(weights, b + 8), _four(weights, b + 12)
        # p0 to p3 are the sums for the remainders whose upper two bits are 00, 01, 10, 11. A remainder r
        # pairs with r + t for t disjoint from r, so 00 takes all four combinations and 11 only one.
        p0 = _pair(_pair(_pair(_pair(p0, q0, w0), q1, w1), q2, w2), q3, w3)
        p1 = _pair(_pair(p1, q1, w0), q3, w2)
        p2 = _pair(_pair(p2, q2, w0), q3, w1)
        p3 = _pair(p3, q3, w0)
    for r in range(4):
        part[r], part[4 + r], part[8 + r], part[12 + r] = p0[r], p1[r], p2[r], p3[r]


@njit(cache=True, nogil=True, inline="always")
def _four(numbers: FloatArray, at: int) -> Four:
    return numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]


@njit(cache=True, nogil=True, inline="always", fastmath={"contract", "reassoc"})
def _pair(p: Four, q: Four, w: Four) -> Four:
    """Add the products of disjoint subsets of two rows."""
    return (
        p[0] + q[0] * w[0] + q[1] * w[1] + q[2] * w[2] + q[3] * w[3],
        p[1] + q[1] * w[0] + q[3] * w[2],
        p[2] + q[2] * w[0] + q[3] * w[1],
        p[3] + q[3] * w[0],
    )

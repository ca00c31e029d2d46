"""What two results must have in common to count as the same."""

from typing import Any

import numpy as np
import pytest

from codelength.scores import Predictions


def assert_same_scores(first: Predictions, second: Predictions) -> None:
    """Log score, accuracy and Brier score, up to rounding."""
    assert first.log_score == pytest.approx(second.log_score, rel=1e-12)
    assert first.accuracy == pytest.approx(second.accuracy, rel=1e-12)
    assert first.brier_score == pytest.approx(second.brier_score, rel=1e-12)


def assert_same_distributions(first: Any, second: Any, rtol: float = 1e-10, atol: float = 1e-300) -> None:
    """Probabilities, up to rounding, and the same rows undefined."""
    assert first.undefined.tolist() == second.undefined.tolist()
    np.testing.assert_allclose(np.exp(first.log_probs), np.exp(second.log_probs), rtol=rtol, atol=atol)

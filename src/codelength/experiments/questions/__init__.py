"""Open questions."""

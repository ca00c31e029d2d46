"""Scores of new cases."""

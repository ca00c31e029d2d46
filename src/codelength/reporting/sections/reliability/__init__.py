"""Reliability of the probabilities."""

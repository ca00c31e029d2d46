"""Fitted models as something that other programs read."""

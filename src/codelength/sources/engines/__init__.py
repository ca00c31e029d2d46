"""Batches of rows, one module per kind of source."""

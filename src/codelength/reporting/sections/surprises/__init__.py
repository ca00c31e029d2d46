"""Rows that surprised the best model."""

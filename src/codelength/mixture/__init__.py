"""Finite mixtures: tables whose rows belong to components that nobody has seen."""

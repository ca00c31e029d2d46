"""The experiments, one module or folder each, with an ``EXPERIMENT``."""

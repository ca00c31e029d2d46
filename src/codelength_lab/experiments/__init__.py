"""The experiments, one module each with an ``EXPERIMENT``, and computations of some."""

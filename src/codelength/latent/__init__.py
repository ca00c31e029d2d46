"""Latent class analysis: inference, relations to other variables, and fit of mixtures."""

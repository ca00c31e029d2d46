"""Latent class analysis: inference, relations to other variables, and how well mixtures fit."""

"""Timings against the peers, as ratios measured side by side in one run."""

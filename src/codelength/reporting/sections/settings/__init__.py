"""Settings of the run."""

"""Hidden classes."""

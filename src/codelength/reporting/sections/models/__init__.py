"""The models compared."""

"""The learning curve."""

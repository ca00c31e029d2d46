"""The table itself."""

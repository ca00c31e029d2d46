"""The sections of a page."""

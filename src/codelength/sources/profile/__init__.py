"""Profiles of streams of batches: the schema of a stream is the same as that of the whole table."""

from .profile import Profile, ProfileWork

__all__ = ["Profile", "ProfileWork"]

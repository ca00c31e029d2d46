"""What a stream of batches holds, and the schema that follows from it: the same as of the whole table."""

from .profile import Profile, ProfileWork

__all__ = ["Profile", "ProfileWork"]

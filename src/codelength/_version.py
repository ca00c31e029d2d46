"""The version, for every layer to read."""

__version__ = "0.2.0.dev0"

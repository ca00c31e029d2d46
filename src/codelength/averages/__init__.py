"""Averages over model classes, after equation (4) of the 1998 paper; one model class per file."""

"""The sections of a page, one file each: results in, markup out."""

from .section import Section as Section

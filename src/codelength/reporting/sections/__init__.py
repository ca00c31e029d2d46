"""The sections of a page: a folder each, figures in ``facts`` and markup in ``page``."""

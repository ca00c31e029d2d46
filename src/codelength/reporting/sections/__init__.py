"""The sections of a page: one module each, with a template of the same name."""

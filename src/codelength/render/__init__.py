"""Blocks to what people read: a terminal, a file of Markdown."""

"""Renderers of blocks: terminal, Markdown, HTML and LaTeX."""

"""``python -m codelength``."""

from .cli import main

main()

"""The laboratory: experiments of the papers and our own, run with the library, and their pages."""

from .registry import EXPERIMENTS, PAPERS
from .reproduction import Reproduction, reproduce

__all__ = ["EXPERIMENTS", "PAPERS", "Reproduction", "reproduce"]

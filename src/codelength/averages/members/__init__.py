"""Members of an average by name. To add one, write a file with its class, and list it here."""

from ..member import Member
from .best_tree import BestTree
from .forests import Forests
from .kernel import Kernel
from .log_ratios import LogRatios
from .subsets import Subsets
from .trees import Trees

MEMBERS: dict[str, type[Member]] = {
    member.name: member for member in (Trees, LogRatios, Kernel, Forests, BestTree, Subsets)
}

DEFAULT_MEMBERS = ("trees", "log_ratios", "kernel", "forests")
"""The smallest set of members with the quality of all."""

"""Single members of the model average, and models of some of the variables, for studies of their own."""

from .estimators import MemberClassifier, OnVariables

__all__ = ["MemberClassifier", "OnVariables"]

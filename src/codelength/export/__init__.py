"""Export of fitted models: scorer documents, SQL, ONNX, BIF and XMLBIF."""

from .scorer import score

__all__ = ["score"]

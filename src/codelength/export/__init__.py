"""Export of fitted models: scorer documents, SQL, ONNX, BIF and XMLBIF.

Scorer, SQL and ONNX write :class:`codelength.networks.look_ups.LookUps`, a sum of look-ups; BIF and XMLBIF
write :class:`codelength.networks.network.Network`, which has conditional probabilities. ``scorer`` is the
shortest. SQL and ONNX share ``engines``: a value is refused if a program cannot tell it from another one.
"""

from .scorer import score

__all__ = ["score"]

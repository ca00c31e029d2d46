"""Export of fitted models as ONNX graphs: label encoders, comparisons, look-ups, a sum and a softmax.

Pairs of values are looked up by number. If classes have a part of their probability that does not depend on
the row, it is added after the softmax.

There is one input per variable, of shape (n_rows,), under its name: text for categories of text, 64-bit
integers for truth values, and double precision for all other variables. NaN is a missing number, and empty
text a missing text unless it is one of the values. Times that are categories are ISO 8601 text, with ``T`` or
a blank before the time of day, and 0, 3, 6 or 9 digits of a second. The outputs are the class and the
probabilities of all classes, in double precision.

Classifiers of the ``ai.onnx.ml`` domain give scores in single precision, so the graph is made of general
operators, with label encoders for text. A look-up is a ``Gather`` on a constant table by code. The code of a
number is found by comparing it with all cuts or values at once and adding up what is true: label encoders of
these versions take text, integers and single precision only.

Order of reading: :func:`to_onnx`, then its steps: ``_codes`` (cells to rows of the tables), ``_log_weights``
(the sum), ``_probabilities``, ``_labels``. ``_Graph`` collects operators and gives their results names.

Depends on :mod:`codelength.networks.look_ups` (the tables) and ``engines`` (values that are refused). The
package onnx is imported when a graph is made.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._version import __version__
from ..decisions import TOLERANCE
from ..errors import InvalidParameter
from ..networks.look_ups import LookUps, check_texts
from ..table import Variable
from ..table._messages import shown
from ..table.spelling import looks_like_time, parse_time
from ..typing import FloatArray
from .engines import beyond_doubles, check_values

if TYPE_CHECKING:
    from onnx import ModelProto

OPSET, ML_OPSET, IR_VERSION = 18, 3, 9
"""Versions of the operators and the format, supported by runtimes since 2023."""

_NAIVE_FORM = re.compile(
    r"(?=.)([0-9]{4}-[0-9]{2}-[0-9]{2})?(?:(?:^|T)([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?)?"
)


def to_onnx(look_ups: LookUps) -> "ModelProto":
    """Convert a model to ONNX.

    Parameters
    ----------
    look_ups : LookUps
        Tables of the model.

    Returns
    -------
    onnx.ModelProto
        The model, checked; ``onnx.save`` writes it.

    Raises
    ------
    InvalidParameter
        If onnx is not installed, or a variable has values that ONNX has no type for.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> table = {"outlook": ["sun", "sun", "rain"], "wind": [3.5, 1.0, 9.0]}
    >>> graph = to_onnx(NaiveBayes().fit(table, ["out", "out", "in"])._fitted.look_ups()).graph
    >>> [one.name for one in graph.input], [one.name for one in graph.output]
    (['outlook', 'wind'], ['class', 'probabilities'])
    """
    try:
        from onnx import checker, helper
    except ImportError:
        raise InvalidParameter('onnx is not installed; pip install "codelength[onnx]"') from None
    if not look_ups.variables:
        raise InvalidParameter(
            "no variable says anything about the class, so a graph would have no input; fit the model to a "
            "table with columns that vary"
        )
    check_texts(look_ups, "ONNX")
    for variable in look_ups.variables:
        check_values(variable, "ONNX")
    graph = _Graph([variable.name for variable in look_ups.variables])
    probabilities, tied = _probabilities(graph, look_ups, _log_weights(graph, look_ups))
    # ArgMax of flags: the first of all tied classes, decided by tolerance and not by rounding.
    best = graph.node("ArgMax", [graph.node("Cast", [tied], to=graph.whole)], axis=1, keepdims=0)
    label = _labels(graph, best, look_ups.classes)
    outputs = [
        helper.make_tensor_value_info(label, graph.type_of_labels(look_ups.classes), ["n_rows"]),
        helper.make_tensor_value_info(probabilities, graph.double, ["n_rows", len(look_ups.classes)]),
    ]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "classifier", graph.inputs, outputs, graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
        ir_version=IR_VERSION,
        producer_name="codelength",
        producer_version=__version__,
    )
    checker.check_model(model)
    return model


class _Graph:
    """A graph under construction; names of its nodes have a prefix that no variable name has."""

    def __init__(self, names: Sequence[str]) -> None:
        from onnx import TensorProto, helper, numpy_helper

        self._helper, self._numpy_helper = helper, numpy_helper
        self.double, self.whole, self.text = TensorProto.DOUBLE, TensorProto.INT64, TensorProto.STRING
        self.nodes: list[Any] = []
        self.inputs: list[Any] = []
        self.constants: list[Any] = []
        self._taken = set(names)
        self._prefix = "_"
        # Longer prefixes until no variable has one, so that generated names cannot clash.
        while any(name.startswith(self._prefix) for name in names):
            self._prefix += "_"

    def input(self, name: str, kind: int) -> str:
        """Add an input of shape (n_rows,) and return its name."""
        self.inputs.append(self._helper.make_tensor_value_info(name, kind, ["n_rows"]))
        return name

    def output(self, name: str) -> str:
        """Return a name for an output that is not the name of an input."""
        while name in self._taken:
            name = f"predicted_{name}"
        return name

    def constant(self, array: Any) -> str:
        """Add a constant array and return its name."""
        name = self._name()
        self.constants.append(self._numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, operator: str, inputs: Sequence[str], output: str | None = None, **attributes: Any) -> str:
        """Add an operator and return the name of its result."""
        name = output or self._name()
        self.nodes.append(self._helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def gathered(self, table: Any, places: str) -> str:
        """Add a look-up of table rows and return its name."""
        return self.node("Gather", [self.constant(table), places], axis=0)

    def type_of_labels(self, classes: Sequence[Any]) -> int:
        """Return the type of the classes: integers or text."""
        return self.whole if _are_whole(classes) else self.text

    def _name(self) -> str:
        return f"{self._prefix}{len(self.nodes)}_{len(self.constants)}"


def _log_weights(graph: _Graph, look_ups: LookUps) -> str:
    """Add the sum of all look-ups, one per class and row, and return its name."""
    total = graph.constant(look_ups.class_table[None, :])
    codes = [_codes(graph, variable) for variable in look_ups.variables]
    for own, entries in zip(codes, look_ups.value_tables, strict=True):
        total = graph.node("Add", [total, graph.gathered(entries, own)])
    groups = {i: graph.gathered(of_values, codes[i]) for i, of_values in look_ups.paired.items()}
    for child, parent, entries in look_ups.pair_tables:
        # A pair is one row of a flat table: group of the child times the number of parent groups, plus that
        # of the parent.
        rows = graph.node("Mul", [groups[child], graph.constant(np.int64(entries.shape[1]))])
        cells = graph.node("Add", [rows, groups[parent]])
        total = graph.node("Add", [total, graph.gathered(entries.reshape(-1, entries.shape[2]), cells)])
    return total


def _probabilities(graph: _Graph, look_ups: LookUps, total: str) -> tuple[str, str]:
    """Add the probabilities of the classes; return their name, and that of flags of the most probable."""
    # Weights that tie with the largest are made equal. If all are zero, all tie: the distribution is uniform.
    top = graph.node("ReduceMax", [total, graph.constant(np.array([1]))], keepdims=1)
    least = graph.node("Sub", [top, graph.constant(np.float64(TOLERANCE))])
    tied = graph.node("GreaterOrEqual", [total, least])
    below = graph.node("Where", [tied, graph.constant(np.float64(0.0)), graph.node("Sub", [total, top])])
    output = graph.output("probabilities")
    if not look_ups.floor.any():
        return graph.node("Softmax", [below], output, axis=1), tied
    rest = graph.constant(np.float64(max(0.0, 1.0 - math.fsum(look_ups.floor))))
    shared = graph.node("Mul", [rest, graph.node("Softmax", [below], axis=1)])
    probabilities = graph.node("Add", [graph.constant(look_ups.floor[None, :]), shared], output)
    # The floor may change the best class, so ties are found again among the final probabilities.
    largest = graph.node("ReduceMax", [probabilities, graph.constant(np.array([1]))], keepdims=1)
    least = graph.node("Mul", [largest, graph.constant(np.float64(1.0 - TOLERANCE))])
    return probabilities, graph.node("GreaterOrEqual", [probabilities, least])


def _codes(graph: _Graph, variable: Variable) -> str:
    """Add the codes of a variable, the rows of its table to look up, and return their name."""
    known = [value for value in variable.values if value is not None]
    unseen = variable.n_values
    missing = unseen - 1 if variable.missing_is_value else unseen
    if variable.kind == "interval":
        if variable.scale != "number":
            raise InvalidParameter(
                f"column {shown(variable.name)}: ONNX has no type for times; make a number of it before the "
                "model is fitted"
            )
        cells = graph.input(variable.name, graph.double)
        places = _counted(graph, cells, np.array(variable.cuts), "GreaterOrEqual", lambda n: np.ones(n))
        return _with_missing(graph, cells, places, missing)
    if all(isinstance(value, str) for value in known):
        cells = graph.input(variable.name, graph.text)
        codes = _keys(variable, [*map(str, known)])
        # ONNX has no missing text; empty text is missing unless it is a value itself.
        codes.setdefault("", missing)
        return graph.node(
            "LabelEncoder",
            [cells],
            domain="ai.onnx.ml",
            keys_strings=list(codes),
            values_int64s=list(codes.values()),
            default_int64=unseen,
        )
    if large := beyond_doubles(known):
        raise InvalidParameter(
            f"column {shown(variable.name)}: the number {shown(large[0])}; ONNX inputs are of double "
            "precision, which does not keep numbers of 2**53 or more apart, so make text of the column "
            "before the model is fitted"
        )
    numbers = np.array([float(value) for value in known])
    if all(isinstance(value, bool) for value in known):
        cells = graph.node("Cast", [graph.input(variable.name, graph.whole)], to=graph.double)
    else:
        cells = graph.input(variable.name, graph.double)
    # A cell equal to value j counts j - unseen, any other cell and NaN count 0; adding unseen gives the code.
    shifted = _counted(graph, cells, numbers, "Equal", lambda n: np.arange(n) - unseen)
    places = graph.node("Add", [shifted, graph.constant(np.int64(unseen))])
    return _with_missing(graph, cells, places, missing)


def _keys(variable: Variable, texts: Sequence[str]) -> dict[str, int]:
    """Return the code of every input text that equals a value; raise InvalidParameter for unclear times."""
    where, forms = f"column {shown(variable.name)}", dict[str, str]()
    codes: dict[str, int] = {}
    for code, text in enumerate(texts):
        form = parse_time(text)
        other = forms.setdefault(form, text)
        if other != text:
            raise InvalidParameter(
                f"{where}: {shown(other)} and {shown(text)} are the same time, but two values; spell them "
                "alike before the model is fitted"
            )
        if looks_like_time(text) and form.endswith("+00:00"):
            raise InvalidParameter(
                f"{where}: times of a time zone, such as {shown(text)}, which ONNX cannot bring to one zone; "
                "make numbers of them before the model is fitted"
            )
        codes |= dict.fromkeys(spellings(text), code)
    return codes


def spellings(text: str) -> list[str]:
    """Return a text and, if it is a time without a time zone, the ways in which programs spell it.

    Examples
    --------
    >>> spellings("12:30:00.5"), spellings("soon")
    (['12:30:00.5', '12:30:00.500', '12:30:00.500000', '12:30:00.500000000'], ['soon'])
    """
    form = parse_time(text)
    naive = _NAIVE_FORM.fullmatch(form)
    if naive is None:
        return [text]
    date, whole, digits = naive[1] or "", naive[2] or "00:00:00", naive[3] or ""
    # Programs print milliseconds, microseconds or nanoseconds.
    clocks = [f"{whole}.{digits:0<{n}}" for n in (3, 6, 9) if n >= len(digits)]
    clocks += [f"{whole}.{digits}" if digits else whole, whole[:5]]
    found = [
        f"{date}{between}{clock}" for between in ("T" * bool(date), " " * bool(date)) for clock in clocks
    ]
    return [*dict.fromkeys([text, form, *(one for one in found if parse_time(one) == form)])]


def _counted(
    graph: _Graph,
    cells: str,
    numbers: FloatArray,
    comparison: str,
    weights: Callable[[int], Any],
) -> str:
    """Add, for each cell, the sum of the weights of all numbers for which the comparison is true.

    Cells have shape (n_rows,), numbers (n_numbers,), and ``weights`` gives as many weights: with ones and
    ``GreaterOrEqual``, the result is the number of cuts that are not above a cell, its interval.
    """
    columns = graph.constant(np.array([1]))
    compared = graph.node(
        comparison, [graph.node("Unsqueeze", [cells, columns]), graph.constant(numbers[None, :])]
    )
    weighed = graph.node(
        "Mul",
        [
            graph.node("Cast", [compared], to=graph.whole),
            graph.constant(np.asarray(weights(len(numbers)), dtype=np.int64)[None, :]),
        ],
    )
    return graph.node("ReduceSum", [weighed, columns], keepdims=0)


def _with_missing(graph: _Graph, cells: str, places: str, missing: int) -> str:
    """Replace the places of NaN cells."""
    return graph.node("Where", [graph.node("IsNaN", [cells]), graph.constant(np.int64(missing)), places])


def _are_whole(classes: Sequence[Any]) -> bool:
    """Return True if classes are integers within 64 bits."""
    return all(isinstance(label, int) and -(2**63) <= label < 2**63 for label in classes)


def _labels(graph: _Graph, best: str, classes: Sequence[Any]) -> str:
    """Add the class at each position and return its name."""
    name = graph.output("class")
    if _are_whole(classes):
        labels = graph.constant(np.array([int(label) for label in classes], dtype=np.int64))
        return graph.node("Gather", [labels, best], name, axis=0)
    return graph.node(
        "LabelEncoder",
        [best],
        name,
        domain="ai.onnx.ml",
        keys_int64s=list(range(len(classes))),
        values_strings=[str(label) for label in classes],
        default_string="",
    )

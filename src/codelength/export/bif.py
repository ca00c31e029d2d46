"""Bayesian networks as text for other programs: BIF, the interchange format, and its form in XML, XMLBIF 0.3.

Names in BIF are words: letters of ASCII, digits and underscores, and the first is no digit. Accents are
dropped, other characters become underscores, and what is equal then is told apart by numbers (``_2``). Names
of variables are told apart without regard to case, and none is a word of the format. A ``property`` of a
variable says what its column, and each of its states, is called in the table where that differs, as text in
JSON in which all characters that have a meaning in BIF are escaped. Further properties give the cut points of
intervals with all digits (``cuts``), and the values that are seen as one (``values other``).

XMLBIF has names as they are, but for those that are blank or hold characters that XML cannot hold, which are
words as in BIF. What is equal then is told apart, and told by properties, in the same way.

Both write probabilities with 15 digits: those beyond come from rounding. In the rows of ``probability``
blocks and in ``TABLE`` the class comes first and the variable itself last.
"""

import itertools
import json
import re
import unicodedata
from collections.abc import Sequence
from xml.sax.saxutils import escape

from ..networks.network import Network, Node
from ..typing import FloatArray

RESERVED = frozenset(
    {"network", "variable", "probability", "property", "type", "discrete", "default", "table"}
)
"""Words of the format, which are no names."""

_NO_WORD = re.compile(r"[^A-Za-z0-9_]+")
_SPECIAL = re.compile(r"[\";{}|=/]")
_NOT_IN_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")

_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF (NETWORK)*>
    <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT NETWORK (NAME, (PROPERTY | VARIABLE | DEFINITION)*)>
  <!ELEMENT NAME (#PCDATA)>
  <!ELEMENT VARIABLE (NAME, (OUTCOME | PROPERTY)*)>
    <!ATTLIST VARIABLE TYPE (nature | decision | utility) "nature">
  <!ELEMENT OUTCOME (#PCDATA)>
  <!ELEMENT DEFINITION (FOR | GIVEN | TABLE | PROPERTY)*>
  <!ELEMENT FOR (#PCDATA)>
  <!ELEMENT GIVEN (#PCDATA)>
  <!ELEMENT TABLE (#PCDATA)>
  <!ELEMENT PROPERTY (#PCDATA)>
]>"""


def to_bif(network: Network) -> str:
    """A network in BIF."""
    class_name, *columns = [node.name for node in network.nodes]
    *names, name = words([*columns, class_name], taken=RESERVED, fold_case=True)
    names.insert(0, name)
    states = [words([_spelt_out(node, state) for state in node.states]) for node in network.nodes]
    blocks = ["network classifier {\n}"]
    for node, name, own in zip(network.nodes, names, states, strict=True):
        told = [
            f"  property {what} = {' '.join(map(_escaped, values))} ;"
            for what, values in _properties(node, name, own)
        ]
        declared = f"  type discrete [ {len(own)} ] {{ {', '.join(own)} }};"
        blocks.append("\n".join([f"variable {name} {{", declared, *told, "}"]))
    for node, name in zip(network.nodes, names, strict=True):
        if not node.parents:
            blocks.append(f"probability ( {name} ) {{\n  table {_numbers(node.probs, ', ')};\n}}")
            continue
        given = [states[parent] for parent in node.parents]
        rows = [
            f"  ({', '.join(case)}) {_numbers(row, ', ')};"
            for case, row in zip(
                itertools.product(*given), node.probs.reshape(-1, node.probs.shape[-1]), strict=True
            )
        ]
        parents = ", ".join(names[parent] for parent in node.parents)
        blocks.append("\n".join([f"probability ( {name} | {parents} ) {{", *rows, "}"]))
    return "\n".join(blocks) + "\n"


def to_xmlbif(network: Network) -> str:
    """A network in XMLBIF 0.3."""
    class_name, *columns = [_as_xml(node.name) for node in network.nodes]
    *names, name = _distinct([*columns, class_name])
    names.insert(0, name)
    lines = [_HEADER, '<BIF VERSION="0.3">', "<NETWORK>", _element("NAME", "classifier")]
    for node, name in zip(network.nodes, names, strict=True):
        states = _distinct([_as_xml(state) for state in node.states])
        lines += ['<VARIABLE TYPE="nature">', _element("NAME", name)]
        lines += [_element("OUTCOME", state) for state in states]
        lines += [
            _element("PROPERTY", f"{what} = {' '.join(map(json.dumps, values))}")
            for what, values in _properties(node, name, states)
        ]
        lines.append("</VARIABLE>")
    for node, name in zip(network.nodes, names, strict=True):
        lines += ["<DEFINITION>", _element("FOR", name)]
        lines += [_element("GIVEN", names[parent]) for parent in node.parents]
        lines += [_element("TABLE", _numbers(node.probs.ravel(), " ")), "</DEFINITION>"]
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


def words(texts: Sequence[str], taken: frozenset[str] = frozenset(), *, fold_case: bool = False) -> list[str]:
    """Texts as distinct words of BIF.

    Examples
    --------
    >>> words(["net weight", "net_weight", "Größe", "1", "table", ""], taken=RESERVED)
    ['net_weight', 'net_weight_2', 'Gro_e', '_1', 'table_2', '_']
    """
    found = []
    for text in texts:
        plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
        word = _NO_WORD.sub("_", plain) or "_"
        found.append(f"_{word}" if word[0].isdigit() else word)
    return _distinct(found, taken, fold_case=fold_case)


def _distinct(
    texts: Sequence[str], taken: frozenset[str] = frozenset(), *, fold_case: bool = False
) -> list[str]:
    """Texts made distinct by numbers, the first of equal ones without."""
    used, found = set(taken), []
    every = {text.casefold() if fold_case else text for text in texts}
    for text in texts:
        name, number = text, 1
        while (name.casefold() if fold_case else name) in (used if number == 1 else used | every):
            number += 1
            name = f"{text}_{number}"
        used.add(name.casefold() if fold_case else name)
        found.append(name)
    return found


def _spelt_out(node: Node, state: str) -> str:
    """An interval in words, so that its signs are not lost."""
    if not node.cuts:
        return state
    spelt = state.replace("< ", "below ").replace(">= ", "from ")
    return re.sub(r"-(?=[0-9])", "minus ", spelt) if node.scale == "number" else spelt


def _properties(node: Node, name: str, states: Sequence[str]) -> list[tuple[str, Sequence[object]]]:
    """What cannot be told from names: those in the table, exact cut points, values that are seen as one."""
    told: list[tuple[str, Sequence[object]]] = [] if name == node.name else [("column", [node.name])]
    told += [
        (f"state {word}", [text]) for word, text in zip(states, node.states, strict=True) if word != text
    ]
    if node.cuts:
        told.append(("cuts", node.cuts))
        told += [] if node.scale == "number" else [("scale", [node.scale])]
    return told + [(f"values {states[i]}", values) for i, values in node.merged.items()]


def _escaped(value: object) -> str:
    """A value in JSON, in which nothing is left that has a meaning in BIF but the quotes around text."""
    text = json.dumps(value)
    inner = text[1:-1].replace('\\"', '"') if isinstance(value, str) else text
    inner = _SPECIAL.sub(lambda found: f"\\u{ord(found[0]):04x}", inner)
    return f'"{inner}"' if isinstance(value, str) else inner


def _as_xml(text: str) -> str:
    return text if text.strip() and not _NOT_IN_XML.search(text) else words([text])[0]


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text, {chr(13): '&#13;'})}</{name}>"


def _numbers(probs: FloatArray, separator: str) -> str:
    return separator.join(repr(float(f"{number:.15g}")) for number in probs.tolist())

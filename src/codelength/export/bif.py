"""Export of Bayesian networks as BIF, the interchange format, and as XMLBIF 0.3, its form in XML.

Names in BIF are words: ASCII letters, digits and underscores, starting with a letter or underscore. Accents
are dropped, other characters become underscores, and equal results are numbered (``_2``). Names of variables
are unique regardless of case, and words of the format are not used. A ``property`` of a variable gives the
original name of its column and of each state if it differs, as JSON text in which all characters with a
meaning in BIF are escaped. Further properties give the cut points of intervals with all digits (``cuts``),
and the values of merged states (``values other``).

XMLBIF keeps original names, except blank ones and those with characters that XML does not allow, which become
words as in BIF. Equal results are numbered, and original names are given as properties, in the same way.

Both formats have probabilities with 15 digits; further digits are rounding errors. In the rows of
``probability`` blocks and in ``TABLE``, the class is first and the variable itself is last.
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
"""Words of the format, which are not allowed as names."""

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
    r"""Return a network in BIF.

    Parameters
    ----------
    network : Network
        The network; the class is its first node.

    Returns
    -------
    str
        Content of a ``.bif`` file.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> model = NaiveBayes().fit({"wind": ["low", "low", "high"]}, ["out", "out", "in"])
    >>> print(*to_bif(model._fitted.network()).splitlines()[-7:], sep="\n")
    probability ( y ) {
      table 0.4, 0.6;
    }
    probability ( wind | y ) {
      (in) 0.666666666666667, 0.333333333333333;
      (out) 0.25, 0.75;
    }
    """
    # The class is named last, so that columns keep their names if one is equal to that of the class.
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
    """Return a network in XMLBIF 0.3.

    Parameters
    ----------
    network : Network
        The network; the class is its first node.

    Returns
    -------
    str
        Content of an ``.xml`` file.
    """
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
    """Return texts as distinct words of BIF.

    Parameters
    ----------
    texts : sequence of str
        Names to convert.
    taken : frozenset of str
        Words that are not allowed.
    fold_case : bool
        Make words distinct regardless of case.

    Examples
    --------
    >>> words(["net weight", "net_weight", "Größe", "1", "table", ""], taken=RESERVED)
    ['net_weight', 'net_weight_2', 'Gro_e', '_1', 'table_2', '_']
    """
    found = []
    for text in texts:
        plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
        # Decomposed characters without their accents: letters keep their base, other characters become
        # underscores.
        word = _NO_WORD.sub("_", plain) or "_"
        found.append(f"_{word}" if word[0].isdigit() else word)
    return _distinct(found, taken, fold_case=fold_case)


def _distinct(
    texts: Sequence[str], taken: frozenset[str] = frozenset(), *, fold_case: bool = False
) -> list[str]:
    """Return texts made distinct by numbers; the first of equal texts has none."""
    used, found = set(taken), []
    # A numbered name must not equal a later text either, which would then be numbered itself.
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
    """Return an interval in words, because signs become underscores in BIF."""
    if not node.cuts:
        return state
    spelt = state.replace("< ", "below ").replace(">= ", "from ")
    return re.sub(r"-(?=[0-9])", "minus ", spelt) if node.scale == "number" else spelt


def _properties(node: Node, name: str, states: Sequence[str]) -> list[tuple[str, Sequence[object]]]:
    """Return the properties of a variable: original names, exact cut points, and merged values."""
    told: list[tuple[str, Sequence[object]]] = [] if name == node.name else [("column", [node.name])]
    told += [
        (f"state {word}", [text]) for word, text in zip(states, node.states, strict=True) if word != text
    ]
    if node.cuts:
        told.append(("cuts", node.cuts))
        told += [] if node.scale == "number" else [("scale", [node.scale])]
    return told + [(f"values {states[i]}", values) for i, values in node.merged.items()]


def _escaped(value: object) -> str:
    """Return a value in JSON, with all characters escaped that have a meaning in BIF."""
    text = json.dumps(value)
    # Quotes inside text are escaped as code points, because readers of BIF end text at any quote.
    inner = text[1:-1].replace('\\"', '"') if isinstance(value, str) else text
    inner = _SPECIAL.sub(lambda found: f"\\u{ord(found[0]):04x}", inner)
    return f'"{inner}"' if isinstance(value, str) else inner


def _as_xml(text: str) -> str:
    """Return a text that XML allows."""
    return text if text.strip() and not _NOT_IN_XML.search(text) else words([text])[0]


def _element(name: str, text: str) -> str:
    """Return an XML element with escaped text."""
    return f"<{name}>{escape(text, {chr(13): '&#13;'})}</{name}>"


def _numbers(probs: FloatArray, separator: str) -> str:
    """Return probabilities with 15 digits."""
    return separator.join(repr(float(f"{number:.15g}")) for number in probs.tolist())

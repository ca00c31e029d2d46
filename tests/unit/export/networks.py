"""Readers of BIF and XMLBIF, written from descriptions of the formats, and inference by enumeration."""

import itertools
import json
import math
import re
import xml.etree.ElementTree as ElementTree
from bisect import bisect_right
from dataclasses import dataclass, field

WORD = r"[A-Za-z_-][A-Za-z0-9_-]*"


@dataclass
class Variable:
    """States of a variable, what they are called in the table, and how cells are told apart."""

    word: str
    states: list
    called: dict = field(default_factory=dict)
    cuts: list = field(default_factory=list)
    merged: dict = field(default_factory=dict)
    parents: list = field(default_factory=list)
    probs: dict = field(default_factory=dict)

    def tell(self, text):
        """Take in a property; the name of the column if it is that."""
        what, values = text.split(" = ", 1)
        values = in_json(values)
        kind, _, state = what.partition(" ")
        if kind == "cuts":
            self.cuts = values
        elif kind == "state":
            (self.called[state],) = values
        elif kind == "values":
            self.merged[state] = values
        return values[0] if kind == "column" else None

    def state_of(self, cell):
        """The state of a cell; None where it has none."""
        is_missing = cell is None or cell != cell
        if self.cuts and not is_missing:
            return self.states[bisect_right(self.cuts, cell)]
        for state, values in self.merged.items():
            if (None if is_missing else cell) in values:
                return state
        text = "missing" if is_missing else str(cell)
        return next((s for s in self.states if self.called.get(s, s) == text), None)


def read_bif(text):
    """Variables by the names of their columns, after the class, which goes by a tuple."""
    assert text.isascii()
    variables, columns = {}, {}
    blocks = re.findall(r"^(\w+) (.*?) ?\{\n(.*?)^\}\n", text, re.MULTILINE | re.DOTALL)
    assert blocks[0][:2] == ("network", "classifier")
    for kind, head, body in blocks[1:]:
        statements = [part.strip() for part in body.split(";")]
        assert statements.pop() == ""
        if kind == "variable":
            assert re.fullmatch(WORD, head)
            declared = re.fullmatch(r"type discrete \[ ([0-9]+) \] \{ (.*) \}", statements[0])
            states = declared[2].split(", ")
            assert len(states) == int(declared[1]) == len(set(states))
            assert all(re.fullmatch(WORD, state) for state in states)
            found, column = Variable(head, states), head
            for statement in statements[1:]:
                told = re.fullmatch("property (.*)", statement)[1]
                column = found.tell(told) or column
            key = column if variables else ("class", column)
            assert key not in variables
            variables[key] = found
            columns[head] = key
        else:
            name, *parents = re.fullmatch(rf"\( ({WORD})(?: \| (.*))? \)", head).groups()
            of = variables[columns[name]]
            of.parents = [columns[parent] for parent in parents[0].split(", ")] if parents[0] else []
            assert kind == "probability"
            assert not of.probs
            for statement in statements:
                given, numbers = re.fullmatch(r"(?:table|\((.*?)\)) (.*)", statement).groups()
                key = tuple(given.split(", ")) if given else ()
                of.probs[key] = dict(zip(of.states, map(float, numbers.split(", ")), strict=True))
    return variables


def read_xmlbif(text):
    """The same from XML, in which names are as they are."""
    (network,) = ElementTree.fromstring(text)
    variables, columns = {}, {}
    for element in network.iter("VARIABLE"):
        column = name = element.find("NAME").text
        found = Variable(name, [one.text for one in element.iter("OUTCOME")])
        for told in element.iter("PROPERTY"):
            column = found.tell(told.text) or column
        columns[name] = column if variables else ("class", column)
        variables[columns[name]] = found
    for element in network.iter("DEFINITION"):
        of = variables[columns[element.find("FOR").text]]
        of.parents = [columns[one.text] for one in element.iter("GIVEN")]
        numbers = list(map(float, element.find("TABLE").text.split()))
        cases = list(itertools.product(*(variables[parent].states for parent in of.parents)))
        assert len(numbers) == len(cases) * len(of.states)
        for i, case in enumerate(cases):
            part = numbers[i * len(of.states) : (i + 1) * len(of.states)]
            of.probs[case] = dict(zip(of.states, part, strict=True))
    return variables


def in_json(text):
    """Values of JSON that stand one after the other."""
    decoder, values, place = json.JSONDecoder(), [], 0
    while place < len(text or ""):
        value, place = decoder.raw_decode(text, place)
        values.append(value)
        place += 1
    return values


def class_probs(variables, row):
    """Probability of each class given the cells of a row, summed over what is not known."""
    (target, of_class), *others = variables.items()
    known = {name: variable.state_of(row[name]) for name, variable in others}
    unknown = [name for name, state in known.items() if state is None]
    weights = []
    for label in of_class.states:
        terms = []
        for filled in itertools.product(*(variables[name].states for name in unknown)):
            states = known | dict(zip(unknown, filled, strict=True)) | {target: label}
            terms.append(math.fsum(math.log(p) if p else -math.inf for p in factors(variables, states)))
        weights.append(terms)
    top = max(map(max, weights))
    sums = [math.fsum(math.exp(term - top) for term in terms) for terms in weights]
    return [one / math.fsum(sums) for one in sums]


def factors(variables, states):
    for name, variable in variables.items():
        yield variable.probs[tuple(states[parent] for parent in variable.parents)][states[name]]

"""Model files: what is not one, or not a whole one, is refused by name, and saving never leaves half of one."""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

from codelength import NaiveBayes, Prior, Schema, Variable, load
from codelength.errors import CodelengthError, DataError, InvalidModelFile

TABLE, TARGET = {"colour": ["red", "blue", None], "size": [1.5, 2.5, 3.5]}, ["yes", "no", "no"]


@pytest.fixture
def model():
    return NaiveBayes(prior=Prior(1, [[1, 2], 0.5])).fit(TABLE, TARGET)


@pytest.fixture
def path(model, tmp_path):
    model.save(tmp_path / "model.json")
    return tmp_path / "model.json"


def refused(path, match):
    with pytest.raises(InvalidModelFile, match=match) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def signed(document):
    """The document with the checksum that belongs to its content, as a program that meddles would write it."""
    content = json.dumps(document["model"], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return document | {"sha256": hashlib.sha256(content.encode()).hexdigest()}


def test_an_absent_file(tmp_path):
    refused(tmp_path / "absent.json", "No such file")


def test_a_directory(tmp_path):
    refused(tmp_path, "directory")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "not complete JSON"),
        (b"{", "not complete JSON"),
        (b"colour,size\nred,1\n", "not complete JSON"),
        (bytes(range(256)), "not a text file"),
        (b"PK\x03\x04\xff\xfe", "not a text file"),
        (b"null", "not a codelength model"),
        (b"[]", "not a codelength model"),
        (b"{}", "not a codelength model"),
        (b'{"format": "something else", "version": 1}', "not a codelength model"),
        (b'{"format": "codelength-model"}', "version None"),
        (b'{"format": "codelength-model", "version": "1"}', "version '1'"),
        (b'{"format": "codelength-model", "version": 0}', "version 0"),
        (b'{"format": "codelength-model", "version": 1}', "checksum"),
        (
            b'{"format": "codelength-model", "version": 1, "sha256": "0", "model": {"a": "\\ud800"}}',
            "checksum",
        ),
        (b"[" * 100_000, "JSON|nested"),
        (b"1" * 6000, "JSON|model"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else None,
)
def test_files_of_another_kind(tmp_path, content, match):
    (tmp_path / "other.json").write_bytes(content)
    refused(tmp_path / "other.json", match)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file(path, share):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    refused(path, "not complete JSON.*cut off")


def test_every_changed_digit_is_noticed(path):
    text = path.read_text(encoding="utf-8")
    start = text.index('"model"')
    changed = 0
    for position in range(start, len(text)):
        if text[position].isdigit():
            path.write_text(text[:position] + str((int(text[position]) + 1) % 10) + text[position + 1 :])
            refused(path, "checksum")
            changed += 1
    assert changed > 20


def test_a_newer_version(path):
    document = json.loads(path.read_text()) | {"version": 2}
    path.write_text(json.dumps(document))
    refused(path, "version 2.*upgrade codelength")


def meddle(*keys, value):
    def change(content):
        place = content
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        meddle("kind", value="Forest"),
        meddle("params", "rule", value="guess"),
        meddle("params", "rule", value=["map"]),
        meddle("params", "prior", value="flat"),
        meddle("params", "prior", value={"other": 1}),
        meddle("params", "missing", value="guess"),
        meddle("params", "numeric", value="guess"),
        meddle("params", "handle_unknown", value="guess"),
        meddle("params", "depth", value=3),
        meddle("params", value=[]),
        meddle("schema", "variables", value=[]),
        meddle("schema", "variables", value=5),
        meddle("schema", "variables", 0, "name", value=5),
        meddle("schema", "variables", 0, "values", value="ab"),
        meddle("schema", "variables", 0, "values", value=["red", "red"]),
        meddle("schema", "variables", 0, "values", value=["red", ["blue"]]),
        meddle("schema", "variables", 0, "kind", value="colour"),
        meddle("schema", "variables", 1, "cuts", value=[2, 1]),
        meddle("schema", "variables", 1, "cuts", value=["a", "b"]),
        meddle("schema", "variables", 1, "cuts", value=[10**400]),
        meddle("schema", "target", value=None),
        meddle("schema", value=None),
        meddle("counts", "class_counts", value=[1]),
        meddle("counts", "class_counts", value=[1, -1]),
        meddle("counts", "class_counts", value=[1, None]),
        meddle("counts", "class_counts", value=[2, 10**400]),
        meddle("counts", "class_counts", value=["two", "one"]),
        meddle("counts", "class_counts", value=[3, 1]),
        meddle("counts", "value_counts", value=[[1, 2], [3]]),
        meddle("counts", "value_counts", 0, 0, value=7),
        meddle("counts", value={}),
    ],
    ids=range(31),
)
def test_content_that_contradicts_itself(path, change):
    """Also under a checksum that fits: nothing but InvalidModelFile comes out of a file."""
    document = json.loads(path.read_text())
    change(document["model"])
    path.write_text(json.dumps(signed(document)))
    refused(path, "not a consistent model")


@pytest.mark.parametrize(
    "failure", [OSError(28, "No space left on device"), KeyboardInterrupt(), RuntimeError()]
)
@pytest.mark.parametrize("moment", ["write", "replace"])
def test_an_interrupted_save_leaves_the_old_file_whole(model, path, monkeypatch, failure, moment):
    before = path.read_bytes()
    grown = NaiveBayes(prior=model.prior).fit(TABLE, TARGET).partial_fit(TABLE, TARGET)

    def fail(*arguments, **options):
        raise failure

    if moment == "replace":
        monkeypatch.setattr(os, "replace", fail)
    else:
        monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises((DataError, KeyboardInterrupt, RuntimeError)):
        grown.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["model.json"]
    np.testing.assert_array_equal(load(path).predict_proba(TABLE), model.predict_proba(TABLE))


def test_saving_where_nothing_can_be_written(model, tmp_path):
    with pytest.raises(DataError, match=r"directory.*does not exist"):
        model.save(tmp_path / "absent" / "model.json")
    with pytest.raises(DataError, match="directory"):
        model.save(tmp_path)


def test_text_that_no_file_can_hold_is_refused_as_such(tmp_path):
    """Half a surrogate pair is text to Python and to nobody else; the file must not be half written."""
    model = NaiveBayes().fit({"a": ["\ud800", "b", "c"]}, TARGET)
    try:
        model.save(tmp_path / "model.json")
    except CodelengthError as error:
        assert "ud800" in str(error)  # noqa: PT017
        assert not list(tmp_path.iterdir())
    else:
        np.testing.assert_array_equal(
            load(tmp_path / "model.json").predict_proba({"a": ["\ud800"]}),
            model.predict_proba({"a": ["\ud800"]}),
        )


def test_an_infinite_value_is_refused_before_it_can_break_a_file(tmp_path):
    with pytest.raises(CodelengthError, match="inf"):
        schema = Schema([Variable("a", (np.inf, 1.0))], Variable("y", ("no", "yes")))
        NaiveBayes(schema=schema).fit({"a": [1.0, 1.0, 1.0]}, TARGET).save(tmp_path / "model.json")

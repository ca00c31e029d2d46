"""Model files: what is not a whole one is refused by name, and saving never leaves half of one."""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

from codelength import MixtureClassifier, NaiveBayes, Prior, Schema, Variable, load
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
    """The document with the checksum that belongs to its content."""
    content = json.dumps(document["model"], sort_keys=True, separators=(",", ":"))
    return document | {"sha256": hashlib.sha256(content.encode()).hexdigest()}


def test_an_absent_file(tmp_path):
    refused(tmp_path / "absent.json", "No such file")


def test_a_directory(tmp_path):
    refused(tmp_path, "not a regular file")


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
        (b'{"format": "something else", "version": 3}', "not a codelength model"),
        (b'{"format": "codelength-model"}', "version None"),
        (b'{"format": "codelength-model", "version": "1"}', "version '1'"),
        (b'{"format": "codelength-model", "version": 0}', "version 0"),
        (b'{"format": "codelength-model", "version": 3}', "checksum"),
        (
            b'{"format": "codelength-model", "version": 3, "sha256": "0", "model": {"a": "\\ud800"}}',
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
    document = json.loads(path.read_text()) | {"version": 4}
    path.write_text(json.dumps(document))
    refused(path, "version 4.*upgrade codelength")


def places(content, path=()):
    """The path of every value in a document, the branches as well as the leaves."""
    keys = content if isinstance(content, dict) else range(len(content)) if isinstance(content, list) else ()
    for key in keys:
        yield (*path, key)
        yield from places(content[key], (*path, key))


def replaced(document, path, value):
    document = json.loads(json.dumps(document))
    place = document["model"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return signed(document)


def test_whatever_a_file_says_nothing_but_a_model_or_invalid_model_file_comes_out(path):
    """Also under a checksum that fits: every value in turn is replaced by one that has no place there."""
    document = json.loads(path.read_text())
    path.write_text(json.dumps(signed(document)))
    load(path)
    n_refused = 0
    for place in places(document["model"]):
        for value in (None, -1, 0.5, 10**400, "?", [], {}, [["?"]], True):
            path.write_text(json.dumps(replaced(document, place, value)))
            try:
                load(path)
            except InvalidModelFile as error:
                n_refused += 1
                assert str(path) in str(error)  # noqa: PT017
    assert n_refused > 100


@pytest.mark.parametrize("key", ["kind", "params", "named"])
def test_content_that_is_not_all_there(path, key):
    document = json.loads(path.read_text())
    del document["model"][key]
    path.write_text(json.dumps(signed(document)))
    refused(path, f"not a consistent model.*{key}")


@pytest.mark.parametrize("option", ["rule", "prior", "missing", "numeric", "handle_unknown"])
def test_options_that_do_not_exist(path, option):
    document = json.loads(path.read_text())
    path.write_text(json.dumps(replaced(document, ("params", option), "no such")))
    refused(path, "not a consistent model.*no such")


def test_counts_that_do_not_add_up(path):
    document = json.loads(path.read_text())
    for place in places(document["model"]):
        if "value_counts" in place and len(place) == place.index("value_counts") + 3:
            path.write_text(json.dumps(replaced(document, place, 7)))
            refused(path, "not a consistent model.*add up")


@pytest.mark.parametrize("value", [None, "?", [1], {}, True, float("nan"), 10**400])
@pytest.mark.parametrize("name", ["candidate", "method", "n_components", "weight", "prequential", "evidence"])
def test_candidates_that_no_fit_leaves_behind(path, name, value):
    """What is loaded can be shown, so what cannot be shown is not loaded."""
    MixtureClassifier(candidates=2, n_components=2, n_orderings=2, random_state=0).fit(TABLE, TARGET).save(
        path
    )
    document = json.loads(path.read_text())
    path.write_text(json.dumps(replaced(document, ("fitted", "candidates", 0, name), value)))
    refused(path, "not a consistent model|not a JSON number")
    del document["model"]["fitted"]["candidates"][0][name]
    path.write_text(json.dumps(signed(document)))
    refused(path, f"not a consistent model.*{name}")


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


@pytest.mark.parametrize("text", ["\ud83d\ude00", "a\ud83d\ude00\ud83d", "lone \ud83d"])
def test_halves_of_surrogate_pairs_mean_the_same_before_and_after(tmp_path, text):
    """In a file both halves are the one character, and so they are everywhere."""
    for cells in ([text, "b", "c"], np.array([text, "b", "c"]), np.array([text, 1, None], dtype=object)):
        table = {text: cells, "other": ["b", text, "c"]}
        model = NaiveBayes(handle_unknown="error").fit(table, [text, "b", "c"])
        model.save(tmp_path / "model.json")
        same = load(tmp_path / "model.json")
        assert same.schema_ == model.schema_
        np.testing.assert_array_equal(same.predict_proba(table), model.predict_proba(table))
        assert same.predict(table).tolist() == model.predict(table).tolist()
    variable = Variable(text, (text, "b"))
    assert variable == Variable.from_json(json.loads(json.dumps(variable.to_json())))


def save_a_model_of_infinite_values(path):
    schema = Schema([Variable("a", (np.inf, 1.0))], Variable("y", ("no", "yes")))
    NaiveBayes(schema=schema).fit({"a": [1.0, 1.0, 1.0]}, TARGET).save(path)


def test_an_infinite_value_is_refused_before_it_can_break_a_file(tmp_path):
    with pytest.raises(CodelengthError, match="inf"):
        save_a_model_of_infinite_values(tmp_path / "model.json")


@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_pipes_and_devices_are_no_models(tmp_path, kind):
    path = tmp_path / "model.json"
    os.mkfifo(path) if kind == "fifo" else path.symlink_to("/dev/zero")
    with pytest.raises(InvalidModelFile) as refused:
        load(path)
    assert str(refused.value) == f"{path}: not a regular file; pass a file written by save()"

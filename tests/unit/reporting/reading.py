"""A page as a strict reader meets it: every element closed, every attribute noted."""

import base64
import hashlib
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"br", "col", "hr", "img", "input", "link", "meta"}


class Reading(HTMLParser):
    """The elements of a page; refuses one that is not closed in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self.scripts, self.styles = [], [], [], []
        self._open = []
        self.feed(text)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice: {names}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] == "script":
            self.scripts.append((self.elements[-1][1], data))
        elif self._open and self._open[-1] == "style":
            self.styles.append(data)
        else:
            self.texts.append(data)

    @property
    def text(self):
        """All words of the page."""
        return " ".join(self.texts)

    def all(self, tag):
        """Attributes of all elements of a name."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def headings(self):
        """Levels of the headings in order."""
        return [
            int(tag[1]) for tag, _ in self.elements if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit()
        ]


def check(text):
    """What holds for every page of ours; returns its reading."""
    page = Reading(text)
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    # Every link and every reference leads somewhere in the page.
    for tag, attributes in page.elements:
        for key, value in attributes.items():
            assert not key.startswith("on"), (tag, key)
            assert key != "style", tag
            if key in ("href", "src"):
                assert value.startswith(("#", "data:image/svg+xml;base64,")), value
                assert not value.startswith("#") or value[1:] in ids, value
            if key in ("aria-labelledby", "for"):
                assert value in ids, value
    levels = page.headings
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    for attributes in page.all("svg"):
        if attributes.get("role") == "img":
            assert attributes["aria-label"]
    assert all(attributes.get("alt") for attributes in page.all("img"))
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    programs = [data for attributes, data in page.scripts if attributes.get("type") != "application/json"]
    for source, contents in (("style-src", page.styles), ("script-src", programs)):
        for content in contents:
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"{source} 'sha256-{digest}'" in policy
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text
    return page

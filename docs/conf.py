"""Build of the documentation: ``make docs``."""

import os
import re
import sys
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "agg")
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import codelength

project = "codelength"
author = "The codelength developers"
copyright = author
version = release = codelength.__version__

templates_path = ["_templates"]
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
exclude_patterns = ["_build", "examples"]
root_doc = "index"
nitpicky = False

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
# GitHub shows such blocks as formulas, too.
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "codelength"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# The first page has nothing to show beside; the others show the pages of their section.
html_sidebars = {"index": []}

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_.*\.py",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
    "plot_gallery": "True",
    "capture_repr": (),
    "image_scrapers": ("matplotlib",),
    "parallel": False,
    "write_computation_times": False,
}


def of_other_libraries(app, what, name, obj, skip, options):
    """Leave out what estimators inherit: it is documented there, in roles that are not known here."""
    is_request = name.startswith("set_") and name.endswith("_request")
    is_of_river = str(getattr(obj, "__module__", "")).startswith("river.")
    return True if is_request or is_of_river or name in ("get_metadata_routing", "set_output") else None


def with_targets(app, docname, source):
    """Make targets of the anchors that generated pages have for GitHub."""
    source[0] = re.sub(r'^<a id="([\w-]+)"></a>$', r"(\1)=", source[0], flags=re.MULTILINE)


def setup(app):
    """Connect the rules above."""
    app.connect("autodoc-skip-member", of_other_libraries)
    app.connect("source-read", with_targets)

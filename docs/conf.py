"""How the documentation is built: `make docs`, offline, and without a warning.

Pages are Markdown (MyST), which reads well on a forge too. Public names are shown as they are imported, such as
`dpbandits.Pair`, wherever their modules are; `public` knows which is which.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import dpbandits

sys.path.insert(0, str(Path(__file__).parent))

project = "dpbandits"
release = version = dpbandits.__version__

extensions = [
    "mathml",
    "myst_nb",
    "public",
    "schemas",
    "sphinx.ext.autodoc",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
smartquotes = False  # "--option" stays what it is
exclude_patterns = ["_build", "questions"]

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "dpbandits"
html_static_path = ["_static"]
html_css_files = ["docs.css"]
html_copy_source = False
html_show_copyright = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # what notebooks show is held by tests/test_docs.py
sphinx_gallery_conf = {
    "examples_dirs": "questions",
    "gallery_dirs": "gallery",  # written by each build
    "filename_pattern": r"\.py$",  # all of them are run
    "abort_on_example_error": True,
    "notebook_extensions": set(),
    "download_all_examples": False,
    "write_computation_times": False,
    "show_signature": False,
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {  # by these names, and not by what they stand for
    name: f"dpbandits.pages.{name}" if name in ("Array", "Number", "Sides") else name
    for name in (
        "Array",
        "Ints",
        "Number",
        "Sides",
        "Sets",
        "Rows",
        "Formula",
        "Domain",
        "Statement",
        "Expectation",
        "Score",
        "Mechanism",
    )
}
nitpick_ignore = [  # what a signature names, and nobody needs to import
    ("py:class", f"dpbandits.{name}")
    for name in (
        "extensions.thompson.moments.Moments",
        "extensions.thompson.rules.HasArmsAndHorizon",
        "reference.bandits.reward_ranges.Range",
        "reference.claims.findings.ArgumentFound",
        "reference.claims.findings.CheckFound",
        "reference.claims.findings.FormulaFound",
        "reference.claims.findings.Needs",
        "reference.claims.findings.OrderFound",
        "reference.claims.findings.PrivacyFound",
        "reference.claims.findings.RegretFound",
        "reference.claims.model.AtLeast",
        "reference.claims.model.AtMost",
        "reference.claims.model.Consequence",
        "reference.claims.model.Ordering",
        "reference.claims.model.Private",
        "reference.claims.model.Source",
        "reference.claims.records.CertificateItem",
        "reference.claims.records.Lines",
        "reference.claims.records.Matrix",
        "reference.claims.records.PrivacyProfile",
        "reference.claims.records.Regret",
        "reference.claims.records.Table",
        "reference.claims.records.TextItem",
        "reference.claims.records.Tradeoff",
        "reference.papers.chen24.algorithms.dp_bai.Elimination",
        "reference.papers.chen24.algorithms.od_linbai.OptimalDesign",
        "reference.papers.sajed19.formulas.Constants",
        "reference.bandits.policy.HasLaw",
        "reference.bandits.quantities.Runs",
    )
]
default_role = "code"
toc_object_entries_show_parents = "hide"
add_module_names = False
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True


def escape_asterisks(_app: Any, _context: Any, lines: list[str]) -> None:
    """Help texts are plain text, where a pattern such as 'ou24/*' is no emphasis."""
    lines[:] = [line.replace("*", r"\*") for line in lines]


def setup(app: Any) -> None:
    app.connect("sphinx-click-process-description", escape_asterisks)

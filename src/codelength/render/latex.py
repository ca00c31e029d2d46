"""LaTeX of tables, with the rules of the package booktabs."""

from collections.abc import Sequence

from ..blocks import Grid, Strong
from . import one_line

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


def latex(grid: Grid) -> str:
    r"""Return a table as a tabular environment; its title becomes a comment.

    Examples
    --------
    >>> print(latex(Grid("", ["value", "1"], [["50 %", "0.25"]])))
    \begin{tabular}{lr}
    \toprule
    value & 1 \\
    \midrule
    50 \% & 0.25 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    sides = "".join("l" if n < grid.n_text else "r" for n in range(len(grid.names)))
    title = f"% {one_line(grid.title)}\n" if grid.title else ""
    rows = "".join(f"{_row(row)}\n" for row in grid.rows)
    return (
        rf"{title}\begin{{tabular}}{{{sides}}}"
        f"\n\\toprule\n{_row(grid.names)}\n\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n"
    )


def escaped(text: str) -> str:
    """Return a text on one line with all special characters of LaTeX escaped; bold if it is ``Strong``."""
    safe = one_line(str(text)).translate(_ESCAPES)
    return rf"\textbf{{{safe}}}" if isinstance(text, Strong) else safe


def _row(cells: Sequence[str]) -> str:
    texts = [escaped(cell) for cell in cells]
    if texts and texts[0].startswith(("[", "*")):
        # After a rule or the end of a row, either would be read as an optional argument.
        texts[0] = f"{{}}{texts[0]}"
    return " & ".join(texts) + r" \\"

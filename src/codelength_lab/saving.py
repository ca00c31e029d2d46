"""Files of one reproduction: results and figures."""

import importlib.util
import os
import warnings
from pathlib import Path

from codelength.errors import CodelengthWarning, DataError

from .figures import FIGURES, draw
from .files import write
from .findings import Findings


def save(findings: Findings, directory: str | os.PathLike[str]) -> list[Path]:
    """Write findings as JSON and CSV, and draw the figures of their paper if matplotlib is installed.

    Parameters
    ----------
    findings : Findings
        Findings to write.
    directory : path
        Directory to write to; created if it does not exist.

    Returns
    -------
    list of Path
        The files written.

    Warns
    -----
    CodelengthWarning
        If there are figures to draw and matplotlib is not installed.
    """
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{directory}: cannot be made: {error.strerror}") from error
    paths = write(findings, directory)
    if findings.paper in FIGURES and importlib.util.find_spec("matplotlib") is None:
        warnings.warn(
            'no figures were drawn: they need matplotlib; install it with pip install "codelength[plot]"',
            CodelengthWarning,
            stacklevel=2,
        )
        return paths
    return [*paths, *draw(findings, directory)]

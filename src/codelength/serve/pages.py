"""HTML of the pages around a report: upload, choice of a target, progress, report.

:func:`home`, :func:`table_page` and :func:`report_page` are the three pages of a session; ``_document`` is
their frame. All texts pass through :func:`codelength.render.markup.tag`, which escapes them. Scripts
send the file and poll for progress; everything else is links and forms.

Order of reading: one function per page (:func:`home`, :func:`table_page`, :func:`report_page`,
:func:`refusal`, :func:`goodbye`), then the parts they share.

Depends on :mod:`codelength.render.markup`, which escapes all texts, and reads sessions and tasks without
changing them.
"""

from collections.abc import Sequence

from ..render.markup import Child, Markup, tag
from .inspection import FORMATS
from .limits import Limits, sized
from .session import Report, Session, Upload
from .works import Work

__all__ = ["goodbye", "home", "moved", "refusal", "report_page", "share_of", "table_page", "words_of"]

_MOST_LISTED = 300
"""Most columns that are listed for leaving out; a longer list cannot be searched by eye."""

_USUAL_TARGETS = ("class", "target", "y", "label", "outcome")


def home(session: Session, limits: Limits) -> str:
    """Return the page for uploads, with the tables and reports of the session.

    Parameters
    ----------
    session : Session
        Session of the user.
    limits : Limits
        Limits of the server.
    """
    endings = ",".join(FORMATS)
    drop = tag(
        "form",
        tag("label", "Choose a CSV or Parquet file, or drop it here", for_="file"),
        tag("input", id="file", type="file", accept=f"{endings},.gz", aria_describedby="about-file"),
        tag(
            "p",
            f"The first line of a CSV file holds the column names. At most {sized(limits.upload_bytes)}. "
            "The file stays on this computer.",
            id="about-file",
            class_="hint",
        ),
        tag("p", id="upload-state", role="status"),
        # The file is the body of a request with its name in a header, which a plain form cannot send.
        tag("noscript", tag("p", "Allow scripts for this page: they send the file.")),
        id="drop",
        class_="drop",
        data_limit=str(limits.upload_bytes),
        data_limit_words=sized(limits.upload_bytes),
    )
    # The newest table first: it is the one that the user wants to continue with.
    tables = [_listed_table(table, session) for table in reversed(session.tables.values())]
    listed = [tag("h2", "Your tables"), tag("ul", tables, class_="tables")] if tables else []
    lead = "Bring a table, pick the column to predict, and see how well the others predict it, and why."
    return _document("A table", tag("h1", "Look at a table"), tag("p", lead), drop, listed)


def table_page(table: Upload, session: Session) -> str:
    """Return the page of a table: progress of the look at it, its refusal, or the choice of a target.

    Parameters
    ----------
    table : Upload
        The table.
    session : Session
        Session that it belongs to.
    """
    head = tag("h1", table.name)
    # The page reloads itself when the look at the file has ended.
    if not table.work.is_over:
        return _document(table.name, head, _progress(table.work, f"/tables/{table.key}/state"))
    if not table.columns:
        return _document(
            table.name,
            head,
            _trouble("This table cannot be read", table.work),
            _button("Remove the table", f"/tables/{table.key}/remove"),
        )
    rows = f"{_counted(table.n_rows, 'row')}, " if table.n_rows else ""
    reports = [
        _listed_report(report, is_removable=True)
        for report in session.reports.values()
        if report.table is table
    ]
    return _document(
        table.name,
        head,
        tag("p", f"{rows}{_counted(len(table.columns), 'column')}"),
        _choices(table),
        [tag("h2", "Reports"), tag("ul", reports, class_="removable")] if reports else None,
        _button("Remove the table", f"/tables/{table.key}/remove", "quiet"),
    )


def report_page(report: Report, n_ahead: int) -> str:
    """Return the page of a report: progress, failure, or the finished report.

    Parameters
    ----------
    report : Report
        The report.
    n_ahead : int
        Reports that will be made before it.
    """
    work, at = report.work, f"/reports/{report.key}"
    # The report can be read while the model is still being fitted, so that the state of the work is not
    # enough.
    is_there = "report.html" in work.ready
    if not is_there:
        parts: list[Child] = [tag("h1", report.title)]
        if work.is_over:
            words = "This report was cancelled" if work.state == "cancelled" else "This report failed"
            parts.append(_trouble(words, work))
        else:
            parts += [_progress(work, f"{at}/state", n_ahead), _button("Cancel", f"{at}/cancel")]
        back = tag("a", "Back to the table", href=f"/tables/{report.table.key}")
        return _document(report.title, *parts, tag("p", back))
    bar = tag(
        "div",
        tag("h1", report.title),
        tag(
            "div",
            tag("a", "Back to the table", href=f"/tables/{report.table.key}"),
            tag("a", "Download the report", href=f"{at}/download/report"),
            tag("a", "Open it on a page of its own", href=f"{at}/page", target="_blank", rel="noopener"),
            _model_link(report),
            None if work.is_over else _button("Do without", f"{at}/cancel", "quiet"),
            class_="links",
        ),
        class_="bar",
    )
    # A sandbox without allow-same-origin: scripts of the report cannot read cookies or pages of this server.
    frame = tag(
        "iframe",
        src=f"{at}/page",
        title=f"Report: {report.title}",
        sandbox="allow-scripts allow-downloads allow-modals",
    )
    return _document(report.title, bar, frame, class_="framed")


def refusal(message: str, *, has_session: bool) -> str:
    """Return the page of a refusal, with a link back if there is a session.

    Parameters
    ----------
    message : str
        Problem and remedy.
    has_session : bool
        Whether there is a session to go back to.
    """
    remedy = tag("p", tag("a", "Go on", href="/")) if has_session else None
    return _document(
        "Refused", tag("h1", "That did not work"), tag("p", _sentence(message)), remedy, is_inside=has_session
    )


def goodbye() -> str:
    """Return the last page of a session."""
    words = (
        "Its tables and reports are removed. To begin another one, open the address that the terminal shows."
    )
    again = "If it was used already, the terminal then shows a new one."
    return _document(
        "Goodbye", tag("h1", "The session is over"), tag("p", words, " ", again), is_inside=False
    )


def moved(address: str) -> str:
    """Return a page that leads a browser to another one.

    A browser sends no cookie if it follows a link or redirect of another site, but does for links of our own
    pages.
    """
    return "<!doctype html>" + tag(
        "html",
        tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("meta", http_equiv="refresh", content=f"0;url={address}"),
            tag("title", "codelength"),
        ),
        tag("body", tag("p", tag("a", "Go on", href=address))),
        lang="en",
    )


def _document(title: str, *body: Child, class_: str | None = None, is_inside: bool = True) -> str:
    """Return a whole page with its header."""
    top = tag(
        "header",
        tag("a", "codelength", href="/", class_="brand")
        if is_inside
        else tag("span", "codelength", class_="brand"),
        _button("End the session", "/end", "quiet") if is_inside else None,
        class_="top",
    )
    return "<!doctype html>" + tag(
        "html",
        tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("title", f"{title} · codelength"),
            # Otherwise browsers ask for /favicon.ico.
            tag("link", rel="icon", href="data:,"),
            tag("link", rel="stylesheet", href="/static/page.css"),
            tag("link", rel="stylesheet", href="/static/serve.css"),
            tag("script", src="/static/serve.js", defer=True),
        ),
        tag("body", top, tag("main", *body), class_=f"serve {class_ or ''}".strip()),
        lang="en",
    )


def _choices(table: Upload) -> Markup:
    """Return the form that starts a report."""
    usual = _usual_target(table.columns)
    options = [tag("option", name, value=str(i), selected=i == usual) for i, name in enumerate(table.columns)]
    leave_out = None
    if len(table.columns) <= _MOST_LISTED:
        boxes = (_box(i, name) for i, name in enumerate(table.columns))
        leave_out = tag(
            "details",
            tag("summary", "Leave columns out"),
            tag("fieldset", tag("legend", "Columns such as identifiers, that are not to be used"), boxes),
        )
    return tag(
        "form",
        tag("label", "Column to predict", for_="target"),
        tag("select", options, id="target", name="target"),
        leave_out,
        tag(
            "p",
            tag("input", type="checkbox", id="rows", name="rows", value="yes"),
            tag("label", "Show the contents of the most surprising rows in the report", for_="rows"),
            class_="option",
        ),
        tag(
            "p",
            tag("button", "Make the report", type="submit", name="what", value="report", class_="main"),
            tag("button", "Find hidden classes instead", type="submit", name="what", value="classes"),
            class_="start",
        ),
        tag(
            "p",
            "The report says how well the column can be predicted, by which model, and what each of the "
            "others says about it. Hidden classes need no column to predict: the rows are sorted into "
            "groups, and their number is found.",
            class_="hint",
        ),
        method="post",
        action=f"/tables/{table.key}/reports",
        class_="choices",
    )


def _box(i: int, name: str) -> Markup:
    return tag("label", tag("input", type="checkbox", name="drop", value=str(i)), tag("span", name))


def _usual_target(names: Sequence[str]) -> int:
    """Return the column that is most likely the target: one of a usual name, or the last."""
    folded = [name.strip().lower() for name in names]
    return next((folded.index(name) for name in _USUAL_TARGETS if name in folded), len(names) - 1)


def _listed_table(table: Upload, session: Session) -> Markup:
    reports = [_listed_report(report) for report in session.reports.values() if report.table is table]
    link = tag("a", table.name, href=f"/tables/{table.key}")
    return tag("li", link, tag("ul", reports) if reports else None)


def _listed_report(report: Report, *, is_removable: bool = False) -> Markup:
    """Return a report in a list, with its state."""
    words = "hidden classes" if report.target is None else f"predicting {report.target}"
    state = "ready" if "report.html" in report.work.ready else report.work.state
    link = tag("span", tag("a", words, href=f"/reports/{report.key}"), f" ({state})")
    return tag(
        "li", link, _button("Remove", f"/reports/{report.key}/remove", "quiet") if is_removable else None
    )


def _model_link(report: Report) -> Markup:
    """Return the link to the model, its progress, or the reason for which there is none."""
    work = report.work
    if "model.json" in work.ready:
        return tag("a", "Download the model", href=f"/reports/{report.key}/download/model")
    if work.is_over:
        why = "cancelled" if work.state == "cancelled" else work.message
        return tag("span", f"No model: {why}")
    return tag(
        "span", "The model is being fitted ...", data_poll=f"/reports/{report.key}/state", role="status"
    )


def _progress(work: Work, poll: str, n_ahead: int = 0) -> Markup:
    """Return the progress of a task, which a script updates."""
    return tag(
        "div",
        tag("p", words_of(work, n_ahead), id="stage", role="status"),
        tag("progress", id="progress", max="1", aria_label="Progress", value=share_of(work)),
        data_poll=poll,
        class_="waiting",
    )


def words_of(work: Work, n_ahead: int) -> str:
    """Describe the state of a task in words.

    Parameters
    ----------
    work : Work
        Task.
    n_ahead : int
        Tasks that start before it.
    """
    if work.state == "waiting":
        return "Waiting for others to finish" + (f": {n_ahead} before this one" if n_ahead else "")
    return _sentence(work.stage or "starting").removesuffix(".") + " ..."


def share_of(work: Work) -> str | None:
    """Return the share of the work that is done, from 0 to 1; None if unknown."""
    if not work.total:
        return None
    return f"{min(1.0, max(0.0, work.done / work.total)):.3f}"


def _trouble(title: str, work: Work) -> Markup:
    message = tag("p", _sentence(work.message)) if work.message else None
    return tag("div", tag("h2", title), message, class_="trouble", role="alert")


def _button(words: str, action: str, class_: str | None = None) -> Markup:
    button = tag("button", words, type="submit", class_=class_)
    return tag("form", button, method="post", action=action, class_="single")


def _sentence(message: str) -> str:
    text = f"{message[:1].upper()}{message[1:]}"
    return text if text.endswith((".", "?", "!")) or not text else f"{text}."


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"

"""Admission of users, and the sessions of all of them.

An address with a one-time token opens a session; a cookie keeps it open.

Order of reading: :class:`Tokens` (addresses that open a session once), :class:`Sessions` (finds the
:class:`~codelength.serve.session.Session` of a cookie; :meth:`Sessions.sweep` removes stale ones).

Depends on :mod:`codelength.serve.session`, and knows nothing of HTTP.
"""

import hashlib
import hmac
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .limits import Limits, Refused
from .session import Session, Storage, new_key
from .works import Works

__all__ = ["Sessions", "Tokens"]

_TOO_MANY, _BUSY = 429, 503
# Used tokens are remembered only for the sake of a clear message; the oldest are forgotten.
_MOST_TOKENS = 16


class Tokens:
    """One-time tokens that admit to the server."""

    def __init__(self) -> None:
        self._open: deque[str] = deque(maxlen=_MOST_TOKENS)
        self._spent: deque[str] = deque(maxlen=_MOST_TOKENS)

    def issue(self) -> str:
        """Return a new token; the oldest unused ones are dropped if there are too many."""
        token = secrets.token_urlsafe(32)
        self._open.append(token)
        return token

    def spend(self, given: str) -> bool:
        """Return whether a token is valid, and invalidate it."""
        found = _among(given, self._open)
        if found is None:
            return False
        self._open.remove(found)
        self._spent.append(found)
        return True

    @property
    def are_open(self) -> bool:
        """True if there is an unused token."""
        return bool(self._open)

    def was_spent(self, given: str) -> bool:
        """Return whether a token was valid once."""
        return _among(given, self._spent) is not None


def _among(given: str, tokens: deque[str]) -> str | None:
    """Return the token that equals the given text, in a time that does not depend on the text."""
    found = None
    # No early exit: the time must not depend on the position of a match either.
    for token in tokens:
        if hmac.compare_digest(token.encode(), given.encode("utf-8", "surrogatepass")):
            found = token
    return found


class Sessions:
    """Sessions of all users of a server.

    Parameters
    ----------
    directory : Path
        Parent of the directories of sessions.
    limits : Limits
        Limits of the server.
    looks, reports : Works
        Queues of looks at files and of reports.
    clock : function
        Returns the time in seconds.
    """

    def __init__(
        self,
        directory: Path,
        limits: Limits,
        looks: Works,
        reports: Works,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory, self._limits, self._clock = directory, limits, clock
        self._looks, self._reports = looks, reports
        self.storage = Storage(limits.disk_bytes)
        # Secrets themselves are not stored; a session is found by the digest of its secret.
        self._by_digest: dict[bytes, Session] = {}

    def open(self) -> tuple[str, Session]:
        """Open a session, and return it with the secret of its cookie.

        If there are too many, the session that was idle longest ends. Sessions without tables end first,
        because browsers lose cookies and leave such sessions behind.

        Returns
        -------
        secret : str
            Value of the cookie.
        session : Session
            The new session.

        Raises
        ------
        Refused
            If all sessions are at work.
        """
        self.sweep()
        if len(self._by_digest) >= self._limits.sessions:
            idle = [session for session in self._by_digest.values() if not session.is_at_work]
            if not idle:
                raise Refused(_TOO_MANY, "all sessions here are at work; wait until one of them is done")
            # False sorts before True: sessions without tables first, then by the time of the last request.
            self.end(min(idle, key=lambda session: (bool(session.tables), session.last_seen)))
        secret = secrets.token_urlsafe(32)
        directory = self._directory / new_key()
        directory.mkdir(mode=0o700)
        session = Session(directory, self.storage, self._looks, self._reports, self._limits, self._clock())
        self._by_digest[_digest(secret)] = session
        return secret, session

    def find(self, secret: str) -> Session | None:
        """Return the session of a cookie and extend its life; None if there is none."""
        session = self._by_digest.get(_digest(secret))
        if session is None:
            return None
        # The sweep runs once a minute; an expired cookie must not work in between.
        if self._is_stale(session):
            self.end(session)
            return None
        session.last_seen = self._clock()
        return session

    @contextmanager
    def receiving(self, session: Session) -> Iterator[None]:
        """Count an upload while the block runs; half of all uploads are left to other sessions.

        Raises
        ------
        Refused
            If too many files are being received.
        """
        # Counted over sessions each time: uploads are few, and a counter could drift.
        most = self._limits.receiving
        n_all = sum(other.n_receiving for other in self._by_digest.values())
        if n_all >= most or session.n_receiving >= max(1, most // 2):
            raise Refused(_BUSY, "too many files are coming in at the moment; wait a little and try again")
        session.n_receiving += 1
        try:
            yield
        finally:
            session.n_receiving -= 1

    def end(self, session: Session) -> None:
        """End a session and remove its files."""
        # A new dictionary: other threads may be iterating over the old one.
        self._by_digest = {key: other for key, other in self._by_digest.items() if other is not session}
        session.end()

    def sweep(self) -> None:
        """End the sessions that were idle for too long."""
        for session in list(self._by_digest.values()):
            if self._is_stale(session):
                self.end(session)

    def close(self) -> None:
        """End all sessions."""
        for session in list(self._by_digest.values()):
            self.end(session)

    def _is_stale(self, session: Session) -> bool:
        return not session.is_at_work and self._clock() - session.last_seen > self._limits.idle_seconds


def _digest(secret: str) -> bytes:
    """Return the key of a secret; the time of a look-up by digest reveals nothing about the secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()

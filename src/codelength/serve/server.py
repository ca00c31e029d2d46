"""Server of the application on the loopback address, until Ctrl-C.

Everything that would let others on this machine or network in is switched off: other addresses than the
loopback, web sockets, proxies, and logs, whose addresses hold tokens. An idle connection is closed after ten
seconds, since their number is limited.

Order of reading: :func:`serve`, ``_config``, then ``_Connection`` (timeouts) and ``_Server`` (signals), which
change single methods of uvicorn. Depends on ``app`` and ``state``.
"""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .._scratch import Scratch
from ..errors import InvalidParameter
from ..render.templates import rendered
from .app import make_app
from .jobs import COMMAND
from .limits import Limits
from .state import AppState

__all__ = ["HOST", "serve"]

HOST = "127.0.0.1"

_DOOR = "open.html"
_GRACE_SECONDS = 2
_MAX_CONNECTIONS = 512
_REQUEST_SECONDS = 10.0


def serve(
    limits: Limits,
    *,
    port: int = 0,
    offered: tuple[str, Path] | None = None,
    announce: Callable[[str], None],
    browse: Callable[[str], None] | None = None,
    command: Sequence[str] = COMMAND,
) -> None:
    """Serve pages until a signal ends the server; no process and no file is left behind.

    Parameters
    ----------
    limits : Limits
        Limits of uploads and processes.
    port : int
        Port on the loopback address; 0 for any free port.
    offered : tuple of str and Path, optional
        Name and path of a table that is opened first.
    announce : function
        Called with the address to open, and with further addresses later.
    browse : function, optional
        Opens a private file that leads to the first address. The address itself is not passed, because other
        users of this machine can read the arguments of a browser.
    command : sequence of str
        Command that starts a process for one job.

    Raises
    ------
    InvalidParameter
        If the port is taken.
    """
    with _listening(port) as listener, Scratch() as scratch:
        directory = Path(scratch)
        # The port is known only after binding, since 0 asks for any free one.
        own = f"http://{HOST}:{listener.getsockname()[1]}/?token="
        state = AppState(directory, limits, offered, lambda token: announce(own + token), command)
        try:
            address = own + state.issue()
            announce(address)
            if browse is not None:
                state.door = _door(directory, address)
                # In a thread: a browser for terminals blocks its caller.
                threading.Thread(target=browse, args=(state.door.as_uri(),), daemon=True).start()
            _Server(_config(state)).run(sockets=[listener])
        finally:
            state.close()


def _config(state: AppState) -> uvicorn.Config:
    """Return the settings of the server: HTTP only, no logs of addresses, limited connections."""
    return uvicorn.Config(
        make_app(state),
        http=_Connection,
        loop="asyncio",
        ws="none",
        lifespan="on",
        log_level="error",
        access_log=False,  # addresses hold tokens
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


def _door(directory: Path, address: str) -> Path:
    """Write a page that only this user can read and that leads to an address."""
    path = directory / _DOOR
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(rendered("serve/moved", address=address))
    return path


class _Connection(H11Protocol):
    """Connection that is closed unless a complete request head arrives in time, after every response too."""

    def connection_made(self, transport: Any) -> None:
        """Start the timeout of the first request."""
        super().connection_made(transport)
        self._expect_request_after(None)

    def on_response_complete(self) -> None:
        """Start the timeout of the next request, which may have arrived already."""
        answered = self.cycle
        super().on_response_complete()
        self._expect_request_after(answered)

    def _expect_request_after(self, answered: object) -> None:
        # Without a timeout, idle connections would use up the limit of connections.
        self.loop.call_later(_REQUEST_SECONDS, self._close_unless_after, answered)

    def _close_unless_after(self, answered: object) -> None:
        """Close the connection if no request has begun since the given one."""
        if self.cycle is answered:
            self.transport.close()


class _Server(uvicorn.Server):
    """Server that ends without an error after Ctrl-C, and raises other signals again after cleaning up."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals that end a process while the block runs."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        # A signal that the parent process ignores, as under nohup, stays ignored.
        taken = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
        before: dict[int, Any] = {number: signal.signal(number, self.handle_exit) for number in taken}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        # Raised again with the former handlers, so that the parent process sees the true reason of the end.
        for number in self._captured_signals:
            if number != signal.SIGINT:
                signal.raise_signal(number)


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    """Open a socket on the loopback address, which no other machine can reach."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen()
        except OSError as error:
            raise InvalidParameter(
                f"--port: {port} cannot be used ({error.strerror}); name another one, or 0 for any free one"
            ) from None
        yield listener

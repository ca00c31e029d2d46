"""The command itself, in a process of its own, asked over real connections."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psutil
import pytest

from .conftest import CSV, STAND_IN, wait_for

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

SCRIPT = f"""
import codelength.serve.server as server
from codelength.cli.app import run
before = server.serve
server.serve = lambda *args, **kwargs: before(*args, **kwargs, command={STAND_IN!r})
import sys
exec(sys.argv.pop(1))
sys.exit(run(sys.argv[1:]))
"""


class Server:
    """A running ``codelength serve``."""

    def __init__(self, directory, *arguments, setup="", browser=("--no-browser",)):
        self.temporary = directory / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, setup, "serve", *browser, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(self.temporary)},
        )
        line = self.process.stdout.readline()
        self.address = urlsplit(re.search(r"http://\S+", line)[0])
        self.cookie = None

    def ask(self, method, path, body=None, timeout=60, **headers):
        """The status, headers and text of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.address.port, timeout=timeout)
        own = {"Origin": f"http://127.0.0.1:{self.address.port}"} if method == "POST" else {}
        cookie = {"Cookie": self.cookie} if self.cookie else {}
        try:
            connection.request(method, path, body, {**own, **cookie, **headers})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def enter(self):
        status, headers, _ = self.ask("GET", f"/?{self.address.query}")
        assert status == 303
        self.cookie = headers["set-cookie"].split(";")[0]
        return headers["location"]

    def raw(self, data, *, ends=True):
        """What comes back for bytes that no client would send, which may go on after them."""
        with socket.create_connection(("127.0.0.1", self.address.port), timeout=20) as connection:
            connection.sendall(data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            pieces = []
            while piece := connection.recv(65536):
                pieces.append(piece)
        return b"".join(pieces).decode("latin-1")

    def children(self):
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self, number=signal.SIGINT):
        """Send a signal: the exit code, and what was written to standard error."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=30)
        return self.process.returncode, err


@pytest.fixture
def start(tmp_path):
    servers = []

    def started(*arguments, **options):
        servers.append(Server(tmp_path, *arguments, **options))
        return servers[-1]

    yield started
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


def running_report(server):
    """Start work that takes long: the processes that do it."""
    server.enter()
    status, _, text = server.ask("POST", "/tables", b"a,slow\n1,x\n2,y\n", **{"X-File-Name": "t.csv"})
    assert status == 201
    table = re.search(r"/tables/\w+", text)[0]
    wait_for(lambda: '"state":"done"' in server.ask("GET", f"{table}/state")[2])
    assert server.ask("POST", f"{table}/reports", "what=report&target=1")[0] == 303
    return wait_for(server.children)


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_with_all_workers_and_files(start, number, code):
    server = start()
    workers = running_report(server)
    assert list(server.temporary.iterdir())
    found, err = server.end(number)
    assert found == code
    assert "Traceback" not in err
    assert ("Ended; all files" in err) == (code == 0)
    psutil.wait_procs(workers, timeout=10)
    assert not any(worker.is_running() for worker in workers)
    assert list(server.temporary.iterdir()) == []


@posix
def test_a_server_that_is_killed_takes_its_workers_along_and_the_next_removes_its_files(start):
    server = start()
    workers = running_report(server)
    server.process.kill()
    server.process.wait()
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert alive == []
    (left,) = (path for path in server.temporary.iterdir() if path.name.startswith("codelength-"))
    os.utime(left, (0, 0))
    second = start()
    assert not left.exists()
    third = start()  # a directory that is in use stays
    assert len(list(third.temporary.glob("codelength-*"))) == 2
    assert second.end()[0] == third.end()[0] == 0


def test_it_listens_on_the_loopback_address_alone(start):
    server = start()
    listening = [
        c for c in psutil.Process(server.process.pid).net_connections("inet") if c.status == "LISTEN"
    ]
    assert [connection.laddr.ip for connection in listening] == ["127.0.0.1"]


def test_the_table_of_the_command_and_a_taken_port(start, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes(CSV)
    server = start(path)
    table = server.enter()
    assert "mine.csv" in server.ask("GET", table)[2]
    done = subprocess.run(
        [sys.executable, "-m", "codelength", "serve", "--no-browser", "--port", str(server.address.port)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: --port: {server.address.port} cannot be used (")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/static/../../app.py", "/static/..%2f..%2fapp.py", "//etc/passwd"]
)
def test_paths_as_they_are_lead_nowhere(start, path):
    server = start()
    server.enter()
    request = (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {server.cookie}\r\nConnection: close\r\n\r\n"
    )
    answer = server.raw(request.encode())
    assert answer.startswith("HTTP/1.1 404 ")
    assert "root:" not in answer


def test_bytes_that_are_no_request_do_not_end_it(start):
    server = start()
    for data in (
        b"\x00" * 100,
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: " + b"x" * 100_000,
        b"POST",
    ):
        answer = server.raw(data)
        assert not answer.startswith("HTTP/1.1 200")
    server.enter()
    assert server.ask("GET", "/")[0] == 200


def test_connections_that_send_half_a_request_are_closed(start):
    """They would take all places: at first, after an answer, and with a body that nobody waits for."""
    server = start(setup="server._MAX_CONNECTIONS, server._REQUEST_SECONDS = 6, 0.5")
    server.enter()
    asked = f"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {server.cookie}\r\n"
    begun = [b"", b"GET /", asked.encode(), (asked + "\r\nGET /").encode()]
    begun += [(asked + "Content-Length: 9\r\n\r\n1").encode(), b"POST /tables HTTP/1.1\r\nHost: "]
    held = [socket.create_connection(("127.0.0.1", server.address.port), timeout=20) for _ in begun]
    for connection, data in zip(held, begun, strict=True):
        connection.sendall(data)
    wait_for(lambda: server.ask("GET", "/")[0] == 200)
    for connection in held:
        while connection.recv(65536):
            pass
        connection.close()


@posix
def test_the_browser_is_told_of_a_private_file_and_not_of_the_token(start):
    """Arguments of programs are there for every user to read."""
    show = "import webbrowser; webbrowser.open = lambda address: print(address, flush=True)"
    server = start(setup=show, browser=())
    lines = iter(server.process.stdout.readline, "")
    told = next(urlsplit(line.strip()) for line in lines if line.startswith("file://"))
    assert server.address.query not in told.geturl()
    path = Path(unquote(told.path))
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0
    assert server.address.geturl() in path.read_text(encoding="utf-8")
    server.enter()
    assert not path.exists()
    assert server.end()[0] == 0


def test_a_length_that_lies_and_pieces_without_end(start):
    server = start("--limit-mb", 1)
    server.enter()
    head = (
        f"POST /tables HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nCookie: {server.cookie}\r\n"
        "X-File-Name: t.csv\r\n"
    )
    declared = server.raw(f"{head}Content-Length: 99999999999\r\n\r\na,b\n".encode(), ends=False)
    assert declared.startswith("HTTP/1.1 413 ")
    piece = f"{0x10000:x}\r\n".encode() + b"a,b\n" * 0x4000 + b"\r\n"
    pieces = server.raw(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + piece * 20, ends=False)
    assert pieces.startswith("HTTP/1.1 413 ")
    assert "larger than 1 MB" in pieces
    short = server.raw(f"{head}Content-Length: 1000\r\n\r\na,b\n1,2\n".encode())
    assert not short.startswith("HTTP/1.1 201")
    (workspace,) = server.temporary.iterdir()
    wait_for(
        lambda: (
            not [path for path in workspace.rglob("*") if path.is_file() and not path.name.startswith(".")]
        )
    )


def test_a_hundred_uploads_at_once_leave_it_responsive(start):
    """Each is taken or told to wait, and pages are shown all the while."""
    server = start()
    server.enter()
    content = b"a,b\n" + b"1,2\n" * 100_000
    statuses, texts = [], []
    n_pages = 0
    ready = threading.Barrier(101)

    def upload():
        ready.wait()
        status, _, text = server.ask("POST", "/tables", content, **{"X-File-Name": "t.csv"})
        statuses.append(status)
        texts.append(text)

    threads = [threading.Thread(target=upload) for _ in range(100)]
    for thread in threads:
        thread.start()
    ready.wait()
    while any(thread.is_alive() for thread in threads):
        assert server.ask("GET", "/")[0] == 200
        n_pages += 1
    assert len(statuses) == 100
    assert set(statuses) == {201}
    assert all("try again" in text or "remove one" in text or "location" in text for text in texts)
    assert n_pages > 1
    assert server.ask("GET", "/")[0] == 200
    # os.walk leaves out folders of finished work that the server removes meanwhile.
    kept = [files for _, _, files in os.walk(server.temporary) if "table.csv" in files]
    assert len(kept) == statuses.count(201)
    assert server.end()[0] == 0


def test_a_port_that_is_none(run_command):
    code, err = run_command("serve", "--port", "70000")
    assert code == 2
    assert err == "error: --port: 70000 is not a port; name one up to 65535, or 0 for any\n"


def test_a_table_that_is_not_there(run_command, tmp_path):
    code, err = run_command("serve", "--no-browser", tmp_path / "none.csv")
    assert code == 1
    assert "no such file" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_the_extra(run_command, missing):
    code, err = run_command("serve", "--no-browser", missing=missing)
    assert code == 1
    assert err == f"error: serve: {missing} is not installed; run: pip install 'codelength[serve]'\n"


@pytest.fixture
def run_command():
    def run(*arguments, missing=""):
        hide = f"import sys; sys.modules[{missing!r}] = None\n" if missing else "import sys\n"
        code = f"{hide}from codelength.cli.app import run\nsys.exit(run(sys.argv[1:]))"
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return done.returncode, done.stderr

    return run

"""Other programs that predict with exported models: a database server, and JavaScript."""

import csv
import io
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from codelength.export.scorer import script


def programs():
    """Where initdb and its companions are."""
    found = shutil.which("initdb")
    places = [*sorted(Path("/usr/lib/postgresql").glob("*/bin")), *([Path(found).parent] if found else [])]
    needed = ("initdb", "pg_ctl", "psql")
    return next((place for place in places if all((place / name).exists() for name in needed)), None)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """A function that runs statements on a server that listens on a socket in a directory of its own."""
    where = programs()
    if where is None:
        pytest.skip("PostgreSQL is not installed")
    if os.name != "posix":
        pytest.skip("needs a socket in the file system")
    import pwd

    as_user = {}
    if os.geteuid() == 0:  # which the server refuses
        try:
            account = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("the server does not run as root, and there is no user postgres")
        as_user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    with tempfile.TemporaryDirectory(prefix="pg") as place:  # paths of sockets are short
        if as_user:
            os.chown(place, as_user["user"], as_user["group"])
        data = f"{place}/data"
        told = {"check": True, "capture_output": True, "cwd": place, "timeout": 120, **as_user}
        subprocess.run([where / "initdb", "-D", data, "-A", "trust", "-U", "tester", "-E", "UTF8"], **told)
        options = f"-k {place} -c listen_addresses= -c fsync=off"
        subprocess.run(
            [where / "pg_ctl", "-D", data, "-w", "-l", f"{place}/log", "-o", options, "start"], **told
        )

        def run(script):
            command = [where / "psql", "-h", place, "-U", "tester", "-d", "postgres", "-qX", "--csv", "-t"]
            done = subprocess.run(
                [*command, "-v", "ON_ERROR_STOP=1"], input=script.encode(), **(told | {"check": False})
            )
            assert done.returncode == 0, done.stderr.decode()
            return list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))

        try:
            yield run
        finally:
            subprocess.run([where / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], **told)


@pytest.fixture
def javascript(tmp_path):
    """What the reader in JavaScript makes of documents and cases."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed, which runs JavaScript outside a browser")
    program = """
    const pairs = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
    const plain = (key, value) => (typeof value === "number" && !isFinite(value) ? String(value) : value);
    console.log(JSON.stringify(pairs.map(([document, given]) => Object.assign(
      codelengthScore(document, given),
      document.version === 1 ? {asked: codelengthAsk(document, given)} : {})), plain));
    """

    def run(pairs):
        (tmp_path / "run.js").write_text(script() + program)
        (tmp_path / "pairs.json").write_text(json.dumps(pairs))
        command = ["node", str(tmp_path / "run.js"), str(tmp_path / "pairs.json")]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        return json.loads(ran.stdout)

    return run

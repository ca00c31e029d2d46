"""Chromium, driven over the WebDriver protocol with nothing but the standard library."""

import base64
import json
import shutil
import subprocess
import urllib.request
from pathlib import Path

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
TAB = "\ue004"


def programs():
    """The browser and its driver, or why they are not there."""
    browser = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        return (
            None,
            "Chromium and its driver are not installed (Debian: apt-get install chromium chromium-driver)",
        )
    return (browser, driver), ""


class Browser:
    """One window."""

    def __init__(self, browser, driver, profile):
        # Port 0 lets the driver choose; it says which one it took.
        self._process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        port = next(
            line.rsplit("port ", 1)[1].strip(" .\n")
            for line in self._process.stdout
            if "successfully on port" in line
        )
        self._base = f"http://127.0.0.1:{port}"
        options = {"binary": browser, "args": [*ARGUMENTS, f"--user-data-dir={profile}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._base += f"/session/{session['sessionId']}"

    def close(self):
        """Close the window and end the driver."""
        try:
            self._call("DELETE", "")
        finally:
            self._process.terminate()
            self._process.wait(timeout=30)
            self._process.stdout.close()

    def _call(self, method, path, body=None):
        request = urllib.request.Request(
            self._base + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
            method=method,
        )
        # Never through a proxy: the driver is on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(json.load(error)["value"]["message"]) from None

    def cdp(self, command, **parameters):
        """A command of the browser's own protocol."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        """Go to an address; what was said on the console before is forgotten."""
        self._call("POST", "/url", {"url": "about:blank"})
        self.console()
        self._call("POST", "/url", {"url": str(url)})

    def run(self, script, *arguments):
        """Run a script in the page."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, script, *arguments):
        """Run a script that hands its result to its last argument."""
        return self._call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def console(self):
        """What was said on the console since it was last asked for."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def press(self, keys):
        """Press keys wherever the focus is."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def look(self, width=1280, scheme="light", media="screen"):
        """Set the width of the window, the colour scheme and the medium."""
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.cdp("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, path):
        """A picture of the whole page."""
        height = self.run("return document.documentElement.scrollHeight")
        width = self.run("return document.documentElement.clientWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 12_000), "scale": 1}
        made = self.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        Path(path).write_bytes(base64.b64decode(made["data"]))

    def pdf(self):
        """The page on paper."""
        return base64.b64decode(self.cdp("Page.printToPDF", printBackground=True)["data"])

"""A headless Chromium, driven through its DevTools protocol."""

import base64
import io
import itertools
import json
import os
import shutil
import subprocess
import time
import urllib.request

import numpy as np
import pytest
from PIL import Image

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
          "chrome-headless-shell")


def browser_program():
    """$HAPTOS_BROWSER, or what is installed; else None."""
    chosen = os.environ.get("HAPTOS_BROWSER")
    return chosen or next((p for p in map(shutil.which, _NAMES) if p), None)


def find_browser():
    """The browser's program, or a skipped test."""
    found = browser_program()
    if not found:
        pytest.skip("no browser found: install chromium (apt-get install chromium) or set "
                    "HAPTOS_BROWSER")
    return found


def beside(label, selector):
    """JavaScript for the element of a control that stands beside its label on viser's panel."""
    return ("(() => { for (let e = [...document.querySelectorAll('*')].find(e => !e.children.length"
            f" && e.textContent.trim() === {json.dumps(label)}); e; e = e.parentElement) {{ "
            f"const f = e.querySelector({json.dumps(selector)}); if (f) return f; }} return null; }})()")


class Page:
    """One page of a browser of its own.

        with Page(folder, 900, 600) as page:
            page.open(url)
    """

    def __init__(self, folder, width, height):
        from websockets.sync.client import connect

        self._process = subprocess.Popen(
            [find_browser(), "--headless=new", "--no-sandbox", "--remote-debugging-port=0",
             f"--user-data-dir={folder}", f"--window-size={width},{height}", "--no-first-run",
             "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-extensions",
             "--force-device-scale-factor=1", "--hide-scrollbars", "--disable-dev-shm-usage",
             "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            port = self._wait(lambda: (folder / "DevToolsActivePort").read_text().split()[0], 60)
            pages = self._wait(lambda: [p for p in json.load(urllib.request.urlopen(
                f"http://127.0.0.1:{port}/json", timeout=5)) if p["type"] == "page"], 60)
            self._socket = connect(pages[0]["webSocketDebuggerUrl"], max_size=1 << 28,
                                   open_timeout=30)
            self._number = itertools.count(1)
            self.requests = []  # addresses that the page asked for
            self.errors = []
            for domain in ("Page", "Runtime", "Network", "Log"):
                self.call(f"{domain}.enable")
            self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=False)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    @staticmethod
    def _wait(get, seconds):
        end = time.monotonic() + seconds
        while True:
            try:
                if found := get():
                    return found
            except (OSError, IndexError):
                pass
            assert time.monotonic() < end, "the browser did not start"
            time.sleep(0.1)

    def call(self, method, **parameters):
        """One command of the protocol; its result."""
        number = next(self._number)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            told = json.loads(self._socket.recv(timeout=120))
            if told.get("id") == number:
                assert "error" not in told, told
                return told["result"]
            self._note(told)

    def _note(self, told):
        what, p = told.get("method"), told.get("params", {})
        if what == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])
        elif what == "Network.webSocketCreated":
            self.requests.append(p["url"])
        elif what == "Runtime.exceptionThrown":
            self.errors.append(p["exceptionDetails"].get("text", ""))

    def open(self, url):
        self.call("Page.navigate", url=url)

    def ask(self, script):
        """The value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def until(self, script, seconds=120):
        """Waits until an expression is true; its value."""
        end = time.monotonic() + seconds
        while not (value := self.ask(script)):
            assert time.monotonic() < end, f"never came true: {script}"
            time.sleep(0.2)
        return value

    def key(self, name, code):
        """Presses and lets go of a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode=code)

    def picture(self):
        """What is on the screen, (height, width, 3)."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        with Image.open(io.BytesIO(data)) as image:
            return np.asarray(image.convert("RGB"))

    def settled(self, seconds=300, quiet=2.0):
        """The picture once it has not changed for a while."""
        end = time.monotonic() + seconds
        before, since = self.picture(), time.monotonic()
        while time.monotonic() - since < quiet:
            assert time.monotonic() < end, "the page never came to rest"
            time.sleep(0.3)
            now = self.picture()
            if (np.abs(now.astype(int) - before) > 8).mean() > 1e-3:
                before, since = now, time.monotonic()
        return before

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

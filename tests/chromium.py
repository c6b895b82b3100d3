"""Chromium, asked through its debugging pipe. Whatever is asked is answered when it is done, so that nothing that is
seen depends on how fast the machine is."""

from __future__ import annotations

import io
import json
import os
import select
import shutil
import subprocess
import sys
from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import matplotlib.image
import numpy as np

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 600  # seconds without a word, after which it has hung
OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # containers run tests as a user for whom there is no sandbox
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
)
# A browser reads what it is asked from its file 3, and answers into its file 4.
PIPED = """
import os, sys
from fcntl import F_DUPFD, fcntl
to, back = (fcntl(int(each), F_DUPFD, 10) for each in sys.argv[1:3])
os.dup2(to, 3), os.dup2(back, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""

Answer = dict[str, Any]


def found() -> str | None:
    """The browser of this machine, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A running browser with a profile of its own in the folder."""

    def __init__(self, folder: Path) -> None:
        name = found()
        assert name is not None
        to, ours = os.pipe()
        theirs, back = os.pipe()
        command = [sys.executable, "-c", PIPED, str(to), str(back), name, *OPTIONS, f"--user-data-dir={folder}"]
        self.process = subprocess.Popen(command, pass_fds=(to, back), stderr=subprocess.DEVNULL)
        os.close(to)
        os.close(back)
        self.sink, self.source, self.rest = ours, theirs, b""
        self.numbers, self.events = count(1), defaultdict[str, list[Answer]](list)

    def close(self) -> None:
        with suppress(OSError, EOFError):
            self.ask("Browser.close")
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.sink)
        os.close(self.source)

    def ask(self, method: str, session: str = "", **params: Any) -> Answer:
        """The answer to a command of the DevTools protocol; what else is heard meanwhile is kept by session."""
        number = next(self.numbers)
        told = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        rest = json.dumps(told).encode() + b"\0"
        while rest:
            rest = rest[os.write(self.sink, rest) :]
        while True:
            message = self.heard()
            if message.get("id") == number:
                assert "error" not in message, (method, message["error"])
                return dict(message["result"])

    def heard(self) -> Answer:
        """The next message; an event is kept as well."""
        while b"\0" not in self.rest:
            if not select.select([self.source], [], [], PATIENCE)[0]:
                raise TimeoutError(f"the browser has said nothing for {PATIENCE} s")
            chunk = os.read(self.source, 1 << 20)
            if not chunk:
                raise EOFError("the browser has ended")
            self.rest += chunk
        line, _, self.rest = self.rest.partition(b"\0")
        message: Answer = json.loads(line)
        if "method" in message:
            self.events[message.get("sessionId", "")].append(message)
        return message

    @contextmanager
    def tab(
        self,
        page: Path,
        fragment: str = "",
        width: int = 1200,
        height: int = 900,
        dark: bool = False,
        mute: bool = False,
        query: str = "",
    ) -> Iterator[Tab]:
        """The page, loaded, in a window of this size. mute: the page's own script does not run. query: of its address,
        after the question mark."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for room in ("Page", "Runtime", "Log"):
            self.ask(f"{room}.enable", session)
        self.ask("Performance.enable", session, timeDomain="threadTicks")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", session, **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", session, features=[scheme])
        self.ask("Emulation.setScriptExecutionDisabled", session, value=mute)
        address = page.as_uri() + (f"?{query}" if query else "") + (f"#{quote(fragment)}" if fragment else "")
        went = self.ask("Page.navigate", session, url=address)
        assert "errorText" not in went, (page, went)
        while not any(each["method"] == "Page.loadEventFired" for each in self.events[session]):
            self.heard()
        yield Tab(self, session)
        self.ask("Target.closeTarget", targetId=target)


class Tab(NamedTuple):
    """A page that is open."""

    browser: Browser
    session: str

    def ask(self, method: str, **params: Any) -> Answer:
        return self.browser.ask(method, self.session, **params)

    def told(self, script: str) -> Any:
        """What the body of a function returns on the page, or what it promises."""
        asked = {"expression": f"(() => {{ {script} }})()", "awaitPromise": True, "returnByValue": True}
        answer = self.ask("Runtime.evaluate", **asked)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def complaints(self) -> list[str]:
        """What the console has said so far."""
        events = self.browser.events[self.session]
        return [
            json.dumps(each["params"])
            for each in events
            if each["method"] in ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        ]

    def picture(self) -> np.ndarray:
        """What the window shows, (height, width, 3), values from 0 to 1."""
        shot = b64decode(self.ask("Page.captureScreenshot", format="png")["data"])
        return np.asarray(matplotlib.image.imread(io.BytesIO(shot)))[:, :, :3]

    def printed(self) -> bytes:
        """The page on paper: a PDF."""
        return b64decode(self.ask("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])

    def measured(self) -> dict[str, float]:
        """Seconds of the processor, and other numbers, since the page was opened, by what for."""
        return {each["name"]: each["value"] for each in self.ask("Performance.getMetrics")["metrics"]}

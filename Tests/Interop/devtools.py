"""Chromium without a window on a page of the server's, driven by the DevTools protocol: what a person would do, and what they would see."""
import asyncio
import base64
import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time

import aiohttp

from browser import FLAGS, find_browser
from harness import Failure

# width, height, scale, whether it is a phone
SCREENS = {"desktop": (1180, 860, 1, False), "phone": (390, 844, 1, True)}


class Page:
    """A browser with one page."""

    def __init__(self, url, *flags):
        self.profile = tempfile.mkdtemp(prefix="callbridge-page-")
        self.process = subprocess.Popen(
            [find_browser(), *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={self.profile}", *flags, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": self.profile})
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.number = 0
        try:
            self.wait(self.connect())
            self.call("Page.enable")
            self.call("Page.navigate", url=url)
            self.until("document.readyState === 'complete' && location.href !== 'about:blank'", "the page is there")
        except BaseException:
            self.close()
            raise

    def wait(self, work, limit=30):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(limit)

    async def connect(self):
        path, end = os.path.join(self.profile, "DevToolsActivePort"), time.monotonic() + 20
        while time.monotonic() < end:
            with contextlib.suppress(OSError, ValueError, StopIteration, aiohttp.ClientError):
                port = int(open(path).readline())
                self.http = aiohttp.ClientSession()
                async with self.http.get(f"http://127.0.0.1:{port}/json") as answer:
                    target = next(each for each in await answer.json() if each["type"] == "page")
                self.socket = await self.http.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0)
                return
            await asyncio.sleep(0.1)
        raise Failure("the browser opened no DevTools port within 20 s")

    async def exchange(self, method, parameters):
        self.number += 1
        number = self.number
        await self.socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            answer = await self.socket.receive_json()
            if answer.get("id") == number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']}")
                return answer["result"]

    def call(self, method, **parameters):
        return self.wait(self.exchange(method, parameters))

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise Failure(f"{expression}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def until(self, expression, what, limit=20):
        end = time.monotonic() + limit
        while not (value := self.evaluate(expression)):
            if time.monotonic() > end:
                raise Failure(f"{what}: not within {limit} s; the page says {self.text()[-800:]!r}")
            threading.Event().wait(0.2)
        return value

    def text(self):
        return self.evaluate("document.body.innerText")

    def fill(self, element, value):
        self.evaluate(f"document.getElementById({element!r}).value = {value!r}")

    def submit(self, form):
        self.evaluate(f"document.getElementById({form!r}).requestSubmit()")

    def screen(self, name):
        width, height, scale, mobile = SCREENS[name]
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def overflow(self):
        """Pixels that the page is wider than its window: nobody should have to scroll sideways."""
        return self.evaluate("document.documentElement.scrollWidth - innerWidth")

    def picture(self, name):
        """Keeps a picture of the page where SCREENSHOTS names a folder."""
        if folder := os.environ.get("SCREENSHOTS"):
            data = self.call("Page.captureScreenshot", format="png")["data"]
            with open(os.path.join(folder, f"{name}.png"), "wb") as file:
                file.write(base64.b64decode(data))

    def close(self):
        with contextlib.suppress(Exception):
            self.wait(self.socket.close(), 5)
            self.wait(self.http.close(), 5)
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

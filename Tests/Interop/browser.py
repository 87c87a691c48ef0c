"""Chromium without a window as a peer: a page of our own that joins as LiveKit's browser client does, and does what it is told."""
import contextlib
import http.server
import itertools
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time

from harness import HERE, Failure, LeftOut, tail

PAGE = os.path.join(HERE, "peers", "browser")
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
    "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--autoplay-policy=no-user-gesture-required")


def find_browser():
    """The path of a Chromium. CHROMIUM names another one."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise LeftOut("there is no Chromium, and Scripts/bootstrap --interop could not install one")
    return found


class Browser:
    """A browser process with one page, in which any number of participants join."""

    def __init__(self, *flags):
        program = find_browser()
        self.commands = queue.Queue()
        self.results = {}
        self.numbers = itertools.count()
        self.ended = threading.Event()
        self.site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *request: Requests(self, *request))
        self.site.daemon_threads = True
        threading.Thread(target=self.site.serve_forever, daemon=True).start()
        self.profile = tempfile.mkdtemp(prefix="callbridge-browser-")
        self.log = tempfile.TemporaryFile("w+")
        page = f"http://127.0.0.1:{self.site.server_port}/index.html"
        self.process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self.profile}", *flags, page], stdout=subprocess.DEVNULL,
            stderr=self.log, env={**os.environ, "TMPDIR": self.profile})

    def call(self, call, limit=30, **fields):
        """Has the page do one thing and returns what it answers."""
        number = next(self.numbers)
        answer = self.results[number] = queue.Queue()
        self.commands.put({"id": number, "call": call, **fields})
        try:
            result = answer.get(timeout=limit)
        except queue.Empty:
            raise Failure(f"the browser did not {call} {fields.get('name')} within {limit} s: {tail(self.log)}")
        finally:
            del self.results[number]
        if "error" in result:
            raise Failure(f"{call} {fields.get('name')}: {result['error']} {result.get('faults')}")
        return result["value"]

    def report_when(self, name, condition, limit=20):
        """The report of a participant as soon as it is as wanted; the last one where it never is."""
        end = time.monotonic() + limit
        while not condition(report := self.call("report", name=name)) and time.monotonic() < end:
            self.ended.wait(0.3)
        return report

    def close(self):
        self.ended.set()
        self.site.shutdown()
        self.site.server_close()
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Requests(http.server.SimpleHTTPRequestHandler):
    """Serves the page, hands it commands and takes its results."""

    def __init__(self, browser, *request):
        self.browser = browser
        super().__init__(*request, directory=PAGE)

    def do_GET(self):
        if self.path != "/command":
            return super().do_GET()
        try:
            command = self.browser.commands.get(timeout=5)
        except queue.Empty:
            command = {}
        self.answer(json.dumps(command).encode())

    def do_POST(self):
        result = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if waiting := self.browser.results.get(result["id"]):
            waiting.put(result)
        self.answer(b"{}")

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_):
        pass

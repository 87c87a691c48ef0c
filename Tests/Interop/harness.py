"""What the interop tests share: a server per test, real peers as child processes, expectations that say what they saw."""
import argparse
import collections
import concurrent.futures
import contextlib
import itertools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CALLAGENT = os.environ.get("CALLAGENT", os.path.join(ROOT, ".build", "release", "callagent"))
PEER = os.path.join(HERE, "peers", "lk_peer.py")
KEY, SECRET = "devkey", "interop-secret-of-32-characters!"


class Failure(Exception):
    """An expectation that did not hold."""


class LeftOut(Exception):
    """A test that the environment has asked not to run."""


def expect(condition, what, seen=None):
    if not condition:
        raise Failure(what if seen is None else f"{what}; saw {json.dumps(seen, default=str)[:1500]}")


def near(value, wanted, tolerance, what):
    expect(value is not None and abs(value - wanted) <= tolerance, f"{what}: wanted {wanted} +- {tolerance}", value)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(*arguments):
    """The URL of a `callagent serve` of its own."""
    with running_server(*arguments) as running:
        yield running.url


@contextlib.contextmanager
def running_server(*arguments):
    """A `callagent serve` of its own. It must still be alive at the end and stop on SIGTERM."""
    running = RunningServer(*arguments)
    try:
        running.wait_until_ready()
        try:
            yield running
        except Failure as failure:
            # Whatever has failed has failed because of that.
            raise failure if running.process.poll() is None else Failure(f"{failure}; the server died: {tail(running.log)}")
        expect(running.process.poll() is None, "the server died during the test", tail(running.log))
    finally:
        running.stop()


class RunningServer:
    """The process, its URL, its TCP port and its log."""

    def __init__(self, *arguments, port=None):
        self.port = port or free_port()
        self.url = f"ws://127.0.0.1:{self.port}"
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [CALLAGENT, "serve", "--port", str(self.port), "--key", KEY, "--secret", SECRET, *arguments],
            stdout=subprocess.DEVNULL, stderr=self.log)

    def wait_until_ready(self):
        wait_for_port(self.process, self.port, self.log)

    def media_ports(self):
        """The UDP ports that the process has open."""
        folder = f"/proc/{self.process.pid}/fd"
        sockets = {os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)}
        rows = [line.split() for line in open("/proc/net/udp").readlines()[1:]]
        return [int(row[1].split(":")[1], 16) for row in rows if f"socket:[{row[9]}]" in sockets]

    def peak_mebibytes(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024

    def stop(self):
        if self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure("the server did not stop within 10 s of SIGTERM")


def wait_for_port(process, port, log, limit=15):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if process.poll() is not None:
            raise Failure(f"callagent serve exited with {process.returncode}: {tail(log)}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2) as probe:
            probe.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            if b"200" in probe.recv(64):
                return
        select.select([], [], [], 0.05)
    raise Failure(f"the server was not ready within {limit} s")


def tail(log):
    log.seek(0)
    return log.read()[-2000:]


class Started(threading.local):
    """The peers that the test of this thread has started."""

    def __init__(self):
        self.children = []


class Child:
    """A peer in a process of its own whose last line of output is JSON."""
    started = Started()

    def __init__(self, name, command):
        self.name = name
        Child.started.children.append(self)
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.errors, text=True)

    @classmethod
    def end_all(cls):
        """Ends what a failed test has left behind."""
        for child in cls.started.children:
            if child.process.poll() is None:
                child.process.kill()
                child.process.wait()
        cls.started.children.clear()

    def stopped(self, limit=60, code=0):
        """The result of one that is told to leave now: for those who are to stay as long as somebody else does."""
        self.process.send_signal(signal.SIGINT)
        return self.result(limit, code)

    def result(self, limit=60, code=0):
        """The JSON; `code` is the exit code that is right, or several."""
        try:
            out, _ = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure(f"{self.name} did not end within {limit} s: {tail(self.errors)}")
        codes = code if isinstance(code, tuple) else (code,)
        if self.process.returncode not in codes and not (0 in codes and only_late(out)):
            raise Failure(f"{self.name} exited with {self.process.returncode}, not {code}: {out[-1500:]} {tail(self.errors)}")
        lines = [line for line in out.splitlines() if line.startswith("{")]
        expect(lines, f"{self.name} printed no JSON", out[-500:])
        result = json.loads(lines[-1])
        if 0 in codes and only_late(out):
            # What this machine took from the call is not what the test is about.
            result["ok"] = True
        return result


def only_late(out):
    """Whether a report of ours names nothing but that this machine ran its timers late."""
    lines = [line for line in out.splitlines() if line.startswith("{")]
    with contextlib.suppress(ValueError):
        return bool(lines) and json.loads(lines[-1]).get("reasons") == ["late"]
    return False


def lk_peer(url, identity, *arguments, room="interop", seconds=8, secret=SECRET):
    return Child(identity, [
        sys.executable, PEER, "--url", url, "--key", KEY, "--secret", secret, "--room", room, "--identity", identity,
        "--seconds", str(seconds), *arguments])


def agent(url, identity, *arguments, room="interop", seconds=8):
    return Child(identity, [
        CALLAGENT, "join", "--url", url, "--key", KEY, "--secret", SECRET, "--room", room, "--identity", identity,
        "--duration", str(seconds), "--json", *arguments])


def session_agent(url, session, identity, *arguments, seconds=8):
    """An agent in an OpenTok-style session."""
    return Child(identity, [
        CALLAGENT, "join", "--provider", "opentok", "--url", url.replace("ws", "http", 1), "--session", session, "--key", KEY,
        "--secret", SECRET, "--identity", identity, "--duration", str(seconds), "--json", *arguments])


def remote_track(result, identity, kind):
    """What `lk_peer.py` received of one kind from one participant."""
    found = [t for t in result["tracks"] if t["kind"] == kind and t.get("participant", t.get("identity")) == identity]
    expect(found, f"{result['identity']} received {kind} of {identity}", result["tracks"])
    return max(found, key=lambda t: t["frames"])


def agent_track(result, sender, kind):
    """What `callagent join` received of one kind from one participant."""
    found = [t for t in result["tracks"] if t["kind"] == kind and t["from"] == sender and t["to"] == result["identity"]]
    expect(found, f"{result['identity']} received {kind} of {sender}", result["tracks"])
    return found[0]


# How many tests run at a time: most of one is waiting, and some need the machine for themselves.
AT_A_TIME = (4, 2, 1)
# Where there is a limit to all: the share of it that is over when each group has to be.
SHARE_OF_TIME = (0.7, 0.8, 1)
# No further one is begun beside others where a thread gets less than this share of a processor.
WANTED_SHARE = 0.8


class Entrance:
    """Lets tests in: one at once, further ones while the processors have something left.

    On a slow machine four at a time would starve one another, and each be run again.
    """

    def __init__(self):
        self.door, self.change, self.within = threading.Lock(), threading.Lock(), 0

    def __enter__(self):
        with self.door:
            while self.within and not self.has_room():
                pass
            with self.change:
                self.within += 1

    def __exit__(self, *_):
        with self.change:
            self.within -= 1

    @staticmethod
    def has_room():
        """Whether a thread that only counts gets a processor when it wants one. What gives way (Scripts/idle) doesn't keep it from that."""
        wanted = got = 0.0
        for _ in range(4):
            time.sleep(0.3)
            begun, used = time.monotonic(), time.thread_time()
            while time.monotonic() - begun < 0.05:
                pass
            wanted += time.monotonic() - begun
            got += time.thread_time() - used
        return got >= WANTED_SHARE * wanted


ENTRANCE = Entrance()


def run(groups):
    """Runs the tests whose names contain an argument (all without one); prints a line each and the closing count.

    The groups, lists of modules' tests, run one after the other, as many tests of each at a time as `AT_A_TIME` says. What failed is
    tried once more, alone, and said to have passed only at the second attempt: peers in real time depend on what else the machine does.

    `--within SECONDS` begins no test after that: the first ones of each module come first, and those that had no time are counted.
    """
    if not os.access(CALLAGENT, os.X_OK):
        print(f"interop: {CALLAGENT} is not built; run `make build`", file=sys.stderr)
        return 1
    options = argparse.ArgumentParser(prog="run.py")
    options.add_argument("words", nargs="*", metavar="WORD", help="run the tests whose names contain one of them")
    options.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS", help="begin no test after that")
    options = options.parse_args()
    begun = time.monotonic()
    outcomes = []
    for modules, count, share in zip(groups, AT_A_TIME, SHARE_OF_TIME, strict=True):
        rounds = itertools.chain.from_iterable(itertools.zip_longest(*modules))
        tests = rounds if options.within < float("inf") else itertools.chain.from_iterable(modules)
        wanted = [test for test in tests if test and (not options.words or any(word in test.__name__ for word in options.words))]
        deadline = begun + share * options.within
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            outcomes += pool.map(lambda test, deadline=deadline: attempt(test, deadline), wanted)
    again = [test for test, outcome in outcomes if outcome == "failed"]
    second = [attempt(test) for test in again]
    count = collections.Counter(outcome for _, outcome in outcomes + second)
    failed = count["failed"] - len(again)
    late = len(again) - failed
    print(f"interop: {count['passed']} passed" + (f" ({late} of them at the second attempt)" if late else "") + f", {failed} failed"
          + (f", {count['left out']} left out" if count["left out"] else "")
          + (f", {count['no time']} not begun for want of time" if count["no time"] else ""))
    return 1 if failed or not count["passed"] + count["left out"] else 0


def attempt(test, deadline=float("inf")):
    """Runs one test, where it is not too late, and prints its line: the test and how it ended."""
    with ENTRANCE:
        return judged(test) if time.monotonic() < deadline else (test, "no time")


def judged(test):
    begun = time.monotonic()
    outcome, text = "passed", ""
    try:
        test()
    except LeftOut as reason:
        outcome, text = "left out", f": {reason}"
    except Failure as failure:
        outcome, text = "failed", f": {failure}"
    except Exception:  # a fault of the test itself must not hide the other tests' results
        outcome, text = "failed", f": {traceback.format_exc()}"
    finally:
        Child.end_all()
    word = {"passed": "ok  ", "failed": "FAIL", "left out": "left out"}[outcome]
    print(f"{word} {test.__name__} ({time.monotonic() - begun:.1f} s){text}", flush=True)
    return test, outcome

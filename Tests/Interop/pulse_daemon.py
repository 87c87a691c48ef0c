"""A PulseAudio daemon of one's own with two null sinks, `out` and `in`: what is played on one can be heard at its monitor."""
import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

import numpy

from harness import Failure, tail
from sound import RATE

FORMAT = ("--rate", str(RATE), "--channels", "1", "--format", "s16le", "--raw")


class Daemon:
    def __init__(self, folder):
        self.socket = os.path.join(folder, "native")
        self.environment = dict(os.environ, HOME=folder, XDG_RUNTIME_DIR=folder, PULSE_SERVER=f"unix:{self.socket}")
        self.environment.pop("PULSE_SINK", None)
        self.log = tempfile.TemporaryFile("w+")
        sinks = [f"--load=module-null-sink sink_name={name} rate={RATE}" for name in ("out", "in")]
        self.process = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--system=false", "--exit-idle-time=-1", "--use-pid-file=no",
             "--disable-shm=true", f"--load=module-native-protocol-unix socket={self.socket} auth-anonymous=1", *sinks],
            stdout=self.log, stderr=self.log, env=self.environment)
        self.helpers = []

    def wait_until_ready(self, limit=20):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise Failure(f"pulseaudio exited with {self.process.returncode}: {tail(self.log)}")
            if subprocess.run(["pactl", "info"], env=self.environment, capture_output=True).returncode == 0:
                return
            select.select([], [], [], 0.05)
        raise Failure(f"pulseaudio was not ready within {limit} s: {tail(self.log)}")

    def command(self, *arguments):
        """A command line that meets this daemon."""
        return ["env", f"PULSE_SERVER=unix:{self.socket}", *arguments]

    def record(self, source):
        """Begins to record; the recording's samples come from `heard`."""
        file = tempfile.TemporaryFile()
        process = subprocess.Popen(
            ["parec", "--device", source, "--latency-msec", "20", *FORMAT], stdout=file, env=self.environment)
        self.helpers.append(process)
        end = time.monotonic() + 20
        while not os.fstat(file.fileno()).st_size:
            if process.poll() is not None or time.monotonic() > end:
                raise Failure(f"parec does not record {source}: {process.poll()}")
            select.select([], [], [], 0.02)
        return process, file

    @staticmethod
    def heard(recording):
        process, file = recording
        process.terminate()
        process.wait(10)
        file.seek(0)
        content = file.read()
        return numpy.frombuffer(content[:len(content) // 2 * 2], "<i2").astype(float)

    def play(self, sink, samples):
        file = tempfile.TemporaryFile()
        file.write(samples.tobytes())
        file.seek(0)
        self.helpers.append(
            subprocess.Popen(["pacat", "--device", sink, *FORMAT], stdin=file, env=self.environment))

    def die(self):
        self.process.kill()
        self.process.wait(10)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        for process in [*self.helpers, self.process]:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait(10)


@contextlib.contextmanager
def daemon():
    if not shutil.which("pulseaudio"):
        raise Failure("pulseaudio is not installed; Scripts/bootstrap --interop installs it")
    with tempfile.TemporaryDirectory() as folder:
        running = Daemon(folder)
        try:
            running.wait_until_ready()
            yield running
        finally:
            running.stop()

"""A tester that gets too little processor. Alone, for it takes a processor away from everybody."""
import subprocess
import sys

from harness import expect, server
from load_limits import text_of

BUSY = "while True: pass"


def test_load_says_that_the_tester_was_starved():
    # Busy loops on the processor that the tester is bound to; the server has the others.
    busy = [subprocess.Popen(["taskset", "-c", "0", sys.executable, "-c", BUSY]) for _ in range(12)]
    try:
        with server() as url:
            code, out, errors = text_of(
                url, "--publishers", "1", "--subscribers", "15", "--num-per-second", "20", "--duration", "4", "--encode",
                "--video-resolution", "high", before=("taskset", "-c", "0"))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    expect(code == 4, "the exit code says so", (code, errors))
    expect(out.startswith("the tester was the bottleneck in "), "and so does the first line", out[:300])

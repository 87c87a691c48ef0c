"""A tester that gets too little processor."""
import signal
import subprocess

from harness import CALLAGENT, KEY, SECRET, expect, server


def test_load_says_that_the_tester_was_starved():
    with server() as url:
        tester = subprocess.Popen(
            [CALLAGENT, "load", "--url", url, "--key", KEY, "--secret", SECRET, "--publishers", "1", "--subscribers", "15",
             "--num-per-second", "20", "--duration", "4", "--encode", "--video-resolution", "high"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # Stopped for 0.3 of each 0.5 s, as where others have the processor, however fast it is.
        for pulse in range(120):
            tester.send_signal(signal.SIGSTOP if pulse % 2 == 0 else signal.SIGCONT)
            try:
                out, errors = tester.communicate(timeout=0.3 if pulse % 2 == 0 else 0.2)
                break
            except subprocess.TimeoutExpired:
                pass
        else:
            tester.kill()
            out, errors = tester.communicate()
    expect(tester.returncode == 4, "the exit code says so", (tester.returncode, errors))
    expect(out.startswith("the tester was the bottleneck in "), "and so does the first line", out[:300])

"""Load tests that run into a limit: of their own machine, which they have to blame on themselves, or of the server."""
import subprocess
import time

from harness import CALLAGENT, KEY, SECRET, RunningServer, expect, server
from load_runs import LACKING, load
from namespaces import command, namespace_pair, need_namespaces
from calls import serving


def text_of(url, *arguments, before=(), limit=60):
    """The exit code and what people read."""
    ran = subprocess.run(
        [*before, CALLAGENT, "load", "--url", url, "--key", KEY, "--secret", SECRET, *arguments], capture_output=True, text=True,
        timeout=limit)
    return ran.returncode, ran.stdout, ran.stderr


def test_load_names_the_limit_of_descriptors():
    with server() as url:
        code, out, errors = text_of(
            url, "--publishers", "1", "--subscribers", "60", "--num-per-second", "60", "--duration", "5", before=("prlimit", "--nofile=70:70"))
        join = ["join", "--url", url, "--key", KEY, "--secret", SECRET, "--room", "r", "--identity", "i"]
        others = [
            subprocess.run(["prlimit", "--nofile=14:14", CALLAGENT, *words], capture_output=True, text=True, timeout=30)
            for words in (join, ["serve", "--port", "0", "--secret", SECRET], ["call", "--duration", "6"])]
    expect(code == 3, "the machine lacks something", (code, out, errors))
    expect("61 participants need about 186 open files, and 70 are allowed" in errors, "it was said before", errors)
    expect("open files have run out, 70 are allowed: raise the limit with ulimit -n" in out, "and after", out)
    for ran in others:
        expect(ran.returncode == 3 and "raise the limit with ulimit -n" in ran.stderr, "so it is with every command", (ran.args, ran.stderr))


def test_load_names_the_want_of_ports():
    need_namespaces()
    with namespace_pair("10.78.0.1", "10.78.0.2") as (near_side, far_side), serving(near_side, "10.78.0.1", 7880) as url:
        command("ip", "netns", "exec", far_side, "sysctl", "-q", "-w", "net.ipv4.ip_local_port_range=40000 40019")
        code, out, errors = text_of(
            url, "--publishers", "1", "--subscribers", "60", "--num-per-second", "60", "--duration", "5",
            before=("ip", "netns", "exec", far_side))
    expect(code == 3, "the machine lacks something", (code, out, errors))
    expect("no more ports are free" in out and "net.ipv4.ip_local_port_range" in out, "it says what", out)


def test_load_tells_of_a_server_that_dies():
    dying = RunningServer()
    try:
        dying.wait_until_ready()
        child = load(dying.url, "--publishers", "1", "--subscribers", "3", "--server-pid", str(dying.process.pid), duration=60)
        time.sleep(6)  # all are there by then, on a busy machine too
        dying.process.kill()
        dying.process.wait()
        run = child.result(code=LACKING)
    finally:
        dying.stop()
    expect(run["state"] == "interrupted" and "the server was lost" in run["interruption"], "it says so", run["interruption"])
    got = sum(each["video"]["inbound"]["packetsReceived"] for each in run["participants"])
    expect(len(run["participants"]) == 4 and got > 50, "what was measured is kept", run["verdicts"])

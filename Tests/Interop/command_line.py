"""What callagent says, where it says it and how it exits when something is wrong; tokens; doctor."""
import contextlib
import json
import os
import signal
import stat
import subprocess
import tempfile

from harness import CALLAGENT, KEY, SECRET, Failure, LeftOut, expect, free_port, server

USAGE, ENVIRONMENT = 2, 3
CREDENTIALS = ("--key", KEY, "--secret", SECRET)
INNARDS = ("Fatal error", "Thread 0 crashed", "Backtrace", "Current stack trace", ".swift:", "(descriptor:",
           "(error set)")


def callagent(*words, limit=30):
    try:
        return subprocess.run([CALLAGENT, *words], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failure(f"callagent {' '.join(words)} did not end within {limit} s")


class Findings:
    """Collects what does not hold, so that one run shows all of it."""

    def __init__(self):
        self.lines = []

    def note(self, condition, line):
        if not condition:
            self.lines.append(line)

    def refused(self, words, code, *named, limit=30):
        """callagent exits with `code`, names each of `named` on standard error, prints nothing and shows no innards."""
        ran = callagent(*words, limit=limit)
        shown = (word if len(word) < 60 else word[:12] + "..." for word in words if word not in CREDENTIALS)
        what = f"callagent {' '.join(shown)}"
        errors = ran.stderr.strip()
        self.note(ran.returncode == code, f"{what}: exit {ran.returncode}, not {code}: {errors[:160]!r}")
        for name in named:
            self.note(name.lower() in errors.lower(), f"{what}: the message doesn't name {name!r}: {errors[:160]!r}")
        self.note(ran.stdout == "", f"{what}: standard output has {ran.stdout[:80]!r}")
        clean = not any(innard in errors for innard in INNARDS)
        self.note(clean, f"{what}: the message shows innards: {errors[:240]!r}")

    def check(self):
        expect(not self.lines, f"{len(self.lines)} findings:\n       " + "\n       ".join(self.lines))


@contextlib.contextmanager
def findings():
    found = Findings()
    yield found
    found.check()


def join(url, *arguments, credentials=CREDENTIALS):
    names = ("--room", "r", "--identity", "ada") if credentials else ()
    return ("join", "--url", url, "--duration", "2", *credentials, *names, *arguments)


def mint(*arguments):
    ran = callagent("token", "mint", *CREDENTIALS, "--room", "r", "--identity", "ada", *arguments)
    expect(ran.returncode == 0 and ran.stderr == "", f"token mint {' '.join(arguments)} works", ran.stderr)
    return ran.stdout.strip()


def test_refused_tokens():
    with findings() as found, server() as url:
        wrong = ("--key", KEY, "--secret", "another-secret-of-32-characters!!")
        found.refused(join(url, credentials=wrong), ENVIRONMENT, "token", "401")
        stranger = ("--key", "nokey", "--secret", SECRET)
        found.refused(join(url, credentials=stranger), ENVIRONMENT, "token", "401")
        for token in ("rubbish", "a.b.c", "eyJhbGciOiJub25lIn0.e30."):
            found.refused(join(url, "--token", token, credentials=()), ENVIRONMENT, "token")
        expired = mint("--ttl=-3600")
        found.refused(join(url, "--token", expired, credentials=()), ENVIRONMENT, "token", "expired")


def test_files_that_cannot_be_used():
    with findings() as found, server() as url, tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text.wav")
        with open(text, "w") as file:
            file.write("no sound in here\n" * 100)
        missing = os.path.join(folder, "missing.wav")
        for option in ("--wav", "--y4m"):
            for path in (text, missing, folder):
                found.refused(join(url, option, path), USAGE, path)
        for path in (os.path.join(text, "recordings"), "/proc/nowhere"):
            found.refused(join(url, "--record", path), ENVIRONMENT, path)


def test_servers_that_are_not_there():
    gone = free_port()
    with findings() as found:
        found.refused(join(f"ws://127.0.0.1:{gone}"), ENVIRONMENT, f"127.0.0.1:{gone}", "reached")
        found.refused(join("ws://nowhere.invalid:7880"), ENVIRONMENT, "nowhere.invalid")
        found.refused(("call", "--server", f"ws://127.0.0.1:{gone}", *CREDENTIALS), ENVIRONMENT, str(gone))
        for url in ("rubbish", "ws://", "ftp://127.0.0.1", "ws://127.0.0.1:99999", "ws://a b", "ws://:7880", "http//x"):
            found.refused(join(url), USAGE, url)


def test_ports_that_cannot_be_had():
    with findings() as found, server() as url:
        port = url.rsplit(":", 1)[1]
        found.refused(("serve", "--port", port, *CREDENTIALS), ENVIRONMENT, port, "in use")
        for address in ("192.0.2.77", "no.address.invalid"):
            found.refused(("serve", "--port", "0", "--bind", address, *CREDENTIALS), ENVIRONMENT, address)
        found.refused(("serve", "--port", "65536", *CREDENTIALS), USAGE, "--port", "65536")


def test_wrong_command_lines():
    wrong = {
        "--participants": ("0", "1", "21", "-3", "x"), "--duration": ("0", "-1", "nan", "inf", "90000", "x"),
        "--picture": ("x", "0x0@0", "640x360@0", "-2x5@30", "99999x99999@30"), "--mute": ("nobody",),
        "--network": ("junk=3", "loss=x", "loss=200"), "--log-level": ("loud",), "--srtp": ("none",)}
    joins = {
        "--ice-server": ("rubbish", "turn:a.example", "turn:a.example,ada", "stun:", "turn:a:99999", "stuns:a.example"),
        "--test-card": ("x", "640x360@-5", "0x0@0"), "--tone": ("-4", "nan", "0", "x"), "--duration": ("-1", "nan")}
    url = "ws://127.0.0.1:9"
    with findings() as found:
        for option, values in wrong.items():
            for value in values:
                found.refused(("call", option, value), USAGE, value)
        for option, values in joins.items():
            for value in values:
                found.refused(join(url, option, value), USAGE, value)
        found.refused(("call", "--bogus"), USAGE, "--bogus")
        found.refused(("nonsense",), USAGE, "nonsense")
        found.refused(("join", "--url", url), USAGE, "--token")
        found.refused(("call", "--server", url), USAGE, "--key", "--secret")
        found.refused(("serve",), USAGE, "--secret")
        found.refused(("token", "decode", "rubbish"), USAGE, "token")


def test_token_mint_and_decode():
    token = mint("--name", "Ada L.")
    other = "another-secret-of-32-characters!!"
    with findings() as found:
        decoded = callagent("token", "decode", token, "--secret", SECRET)
        found.note(decoded.returncode == 0, f"token decode checks its own token: {decoded.stderr!r}")
        for word in ("ada", '"r"', KEY, "Ada L."):
            found.note(word in decoded.stdout, f"token decode shows {word}: {decoded.stdout!r}")
        refused = {"signature": (token, other), "expired": (mint("--ttl=-3600"), SECRET)}
        for what, (wrong, secret) in refused.items():
            ran = callagent("token", "decode", wrong, "--secret", secret)
            found.note(ran.returncode != 0, f"token decode refuses a wrong one ({what})")
            found.note(what in ran.stderr, f"token decode's message names {what!r}: {ran.stderr!r}")
        ran = callagent("token", "mint", *CREDENTIALS, "--room", "r", "--identity", "ada", "--ttl", "-3600")
        found.note(ran.returncode == 0, f"token mint takes a negative --ttl, as its help says: {ran.stderr[:60]!r}")


def without_settings(**settings):
    """The environment without any LIVEKIT_ or CALLBRIDGE_ variable but `settings`."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("LIVEKIT_", "CALLBRIDGE_"))} | settings


def test_listening_is_said_at_once_through_a_pipe():
    for arguments, begins in (((), "listening on ws://127.0.0.1:"), (("--json",), '{"port":')):
        # Whoever runs the tests may ignore SIGHUP, and what is ignored stays so in children.
        process = subprocess.Popen(
            [CALLAGENT, "serve", "--port", "0", *CREDENTIALS, *arguments], stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        try:
            line = process.stdout.readline()
            expect(line.startswith(begins), "serve says that it listens while it does", line)
            process.stdout.close()
            process.send_signal(signal.SIGHUP)
            expect(process.wait(10) == 0, "it outlives the reader of its line, and ends in order", process.returncode)
        finally:
            process.kill()


def test_secrets_from_files_and_the_environment():
    with findings() as found, server() as url, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "secret")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(SECRET + "\n")
        names = ("--room", "r", "--identity", "ada", "--duration", "2", "--record", os.path.join(folder, "out"),
                 "--journal", os.path.join(folder, "journal.jsonl"))
        ways = {
            "file": (("--url", url, "--key", KEY, "--secret-file", path), {}),
            "environment": ((), {"LIVEKIT_URL": url, "LIVEKIT_API_KEY": KEY, "LIVEKIT_API_SECRET": SECRET}),
            "token": (("--url", url), {"LIVEKIT_TOKEN": mint()})}
        for way, (words, settings) in ways.items():
            rest = names if way != "token" else names[4:]
            ran = subprocess.run([CALLAGENT, "join", *words, *rest], capture_output=True, text=True, timeout=30,
                                 env=without_settings(**settings))
            found.note(ran.returncode == 0, f"the secret comes from {way}: exit {ran.returncode}, {ran.stderr[:200]!r}")
            found.note(SECRET not in ran.stdout + ran.stderr, f"{way}: the secret is not printed")
        mode = stat.S_IMODE(os.stat(os.path.join(folder, "journal.jsonl")).st_mode)
        found.note(mode == 0o600, f"the journal is its owner's alone: {mode:o}")


def test_doctor():
    doctor = callagent("doctor", "--port", str(free_port()), "--json")
    checks = json.loads(doctor.stdout)["checks"]
    ssl = [check["library"] for check in checks if check["name"] == "libssl"]
    expect(ssl and ssl[0]["release"].startswith("3.") and "libssl.so" in ssl[0]["path"], "doctor names the libssl in use", checks)
    expect(ssl[0]["isTested"] == (ssl[0]["release"] in ssl[0]["testedReleases"]), "and whether it was tested", ssl)
    expect(doctor.returncode == 0, "doctor finds all that calls need", checks)
    expect({"libopus", "libvpx"} <= {check["name"] for check in checks}, "doctor looks at the codecs", checks)
    expect(all({"name", "state", "found", "advice"} <= check.keys() for check in checks), "each check is whole", checks)


def test_the_image_of_load_has_every_library():
    """What callagent is linked to, by the package that this Debian has it from, is installed by the Dockerfile's last stage."""
    if "VERSION_ID=\"12\"" not in open("/etc/os-release", encoding="utf-8").read():
        raise LeftOut("the Dockerfile is of Debian 12, whose packages have names that this system's don't")
    recipe = open(os.path.join(os.path.dirname(__file__), "../../Deployment/load/Dockerfile"), encoding="utf-8").read()
    installed = set(recipe.rsplit("FROM debian:12", 1)[1].split())
    linked = subprocess.run(["ldd", CALLAGENT], capture_output=True, text=True, check=True).stdout
    paths = {line.split()[0]: line.split()[2] for line in linked.splitlines() if "=> /" in line}
    needed = subprocess.run(["readelf", "-d", CALLAGENT], capture_output=True, text=True, check=True).stdout
    names = [line.split("[")[1].rstrip("]") for line in needed.splitlines() if "(NEEDED)" in line]
    files = {os.path.realpath(paths[name]): name for name in names if name in paths}
    # Some are known by the path that they had before /lib became a link.
    files |= {path.removeprefix("/usr"): name for path, name in files.items()}
    owners = subprocess.run(["dpkg", "-S", *files], capture_output=True, text=True).stdout
    packages = {files[line.rsplit(": ", 1)[1]]: line.split(":")[0] for line in owners.splitlines() if line.rsplit(": ", 1)[1] in files}
    expect({"libopus.so.0", "libvpx.so.7"} <= packages.keys(), "this Debian knows the codecs' packages", packages)
    missing = {name: package for name, package in packages.items() if package not in installed and package != "libc6"}
    expect(not missing, "the Dockerfile installs what callagent is linked to", missing)

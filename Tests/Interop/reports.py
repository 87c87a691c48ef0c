"""What the reports of `callagent` say of calls in which something is wrong, with exit codes to match."""
import contextlib
import json
import os
import pty
import re
import select
import signal
import stat
import subprocess
import tempfile

import jsonschema
from livekit.protocol import models, room as rooms

from harness import CALLAGENT, KEY, ROOT, SECRET, Child, RunningServer, agent, agent_track, expect, lk_peer, server
from rooms_api import ROOM, Admin

PASSPHRASE, OTHER = "correct horse battery staple", "another horse"
# What the client would otherwise spend on keys ahead of a wrong one.
CHEAP = ("--e2ee-ratchet", "0")
LOST, ENVIRONMENT = 1, 3
CREDENTIALS = ("--key", KEY, "--secret", SECRET)


def judged_by_machine(report):
    """Reasons that a busy machine may add to any report."""
    return set(report["reasons"]) - {"late", "concealed", "frozen"}


def wrong_key(stays):
    with server() as url:
        ours = agent(url, "ours", "--e2ee-key", OTHER, seconds=90)
        admin = Admin(url)
        admin.active("ours")
        real = lk_peer(url, "real", "--tone", "440", "--no-dtx", "--video", "640x360@15", "--e2ee-key", PASSPHRASE, *CHEAP,
                       seconds=12 if stays else 5)
        if stays:
            admin.active("real", tracks=2)
            select.select([], [], [], 5)
        else:
            real.result()
        report = ours.stopped(code=LOST)
        real.process.wait(60)
    expect(judged_by_machine(report) == {"undecryptable"}, "the reason is named", report["failures"])
    for kind in ("audio", "video"):
        track = agent_track(report, "real", kind)
        expect(not track["ok"] and "undecryptable" in track["reasons"], f"{kind} is not ok", track)
        expect(track["framesUndecryptable"] > 3 and track["framesDecoded"] == 0, f"{kind} is counted", track)
        expect("--e2ee-key" in track["failure"], "the remedy is named", track["failure"])


def test_a_wrong_key_is_named_while_the_sender_is_there():
    wrong_key(stays=True)


def test_a_wrong_key_is_named_after_the_sender_has_left():
    wrong_key(stays=False)


def test_seconds_of_a_call_are_written_as_w3c_names_them():
    with open(os.path.join(ROOT, "docs", "schema", "stats.json")) as file:
        judge = jsonschema.Draft202012Validator(json.load(file))
    with tempfile.TemporaryDirectory() as folder, server() as url:
        path = os.path.join(folder, "stats.jsonl")
        real = lk_peer(url, "real", "--tone", "440", "--no-dtx", "--video", "640x360@15", seconds=9)
        ours = agent(url, "ours", "--tone", "880", "--test-card", "640x360@15", "--stats", path, seconds=7)
        ours.result()
        real.result()
        with open(path) as file:
            lines = [json.loads(line) for line in file]
    expect(6 <= len(lines) <= 8, "a line each second", len(lines))
    for line in lines:
        expect(line["participant"] == "ours", "whose it is", line["participant"])
        expect(not list(judge.iter_errors(line)), "the schema holds", [error.message for error in judge.iter_errors(line)][:3])
    seconds = [line["seconds"] for line in lines]
    expect(all(0.85 < after - before < 1.6 for before, after in zip(seconds, seconds[1:])), "about a second apart", seconds)
    for kind, count in (("inbound-rtp", "packetsReceived"), ("outbound-rtp", "packetsSent"), ("transport", "bytesReceived")):
        totals = [sum(row[count] for row in line["stats"] if row["type"] == kind) for line in lines]
        expect(totals == sorted(totals) and totals[-1] > totals[0] + 100, f"{kind} counts on", totals)
    ids = [{row["id"] for row in line["stats"] if row["type"] in ("transport", "outbound-rtp")} for line in lines[2:]]
    expect(all(each == ids[0] for each in ids), "ids stay", ids[:2])
    last = {score["kind"]: score.get("mos", 0) for score in lines[-1]["scores"]}
    expect(last.get("audio", 0) > 3 and last.get("video", 0) > 1, "each second is scored", lines[-1]["scores"])


def decoded(codec, *mode):
    with server() as url:
        ours = agent(url, "ours", *mode, seconds=90)
        Admin(url).active("ours")
        lk_peer(url, "real", "--tone", "440", "--no-dtx", "--video", "640x360@15", "--codec", codec, seconds=6).result()
        report = ours.stopped(code=(0, LOST))
    expect(not judged_by_machine(report), "nothing was lost", report["failures"])
    video = agent_track(report, "real", "video")
    expect(video["codec"].upper() == codec.upper() and video["framesDecoded"] >= 40, "its pictures are decoded", video)
    expect(video["framesUndecodable"] == 0, "each of them", video)


def test_vp9_of_a_real_peer_is_decoded_single_connection():
    decoded("vp9")


def test_vp9_of_a_real_peer_is_decoded_two_connections():
    decoded("vp9", "--two-connections")


def test_h264_of_a_real_peer_is_decoded():
    decoded("h264")


def test_av1_of_a_real_peer_is_decoded():
    decoded("av1")


def test_a_codec_that_cannot_be_decoded_is_named():
    """Encrypted pictures are decoded where they are VP8."""
    with server() as url:
        ours = agent(url, "ours", "--e2ee-key", "one key", seconds=90)
        Admin(url).active("ours")
        lk_peer(url, "real", "--tone", "440", "--no-dtx", "--video", "640x360@15", "--codec", "vp9", "--e2ee-key", "one key", seconds=5).result()
        report = ours.stopped(code=LOST)
    expect(judged_by_machine(report) == {"unsupportedCodec"}, "the reason is named", report["failures"])
    video = agent_track(report, "real", "video")
    expect(video["codec"].upper() == "VP9" and video["framesDecoded"] == 0, "the codec is the real one", video)
    expect(agent_track(report, "real", "audio")["codec"] == "opus", "that of sound too", report["tracks"])


def test_alone_in_a_room():
    with server() as url:
        report = agent(url, "ours", "--tone", "440", seconds=2).result()
        expect(report["ok"] and report["met"] == [], "nobody was met", report["met"])
        ran = subprocess.run(
            [CALLAGENT, "join", "--url", url, *CREDENTIALS, "--room", "r", "--identity", "ours", "--duration", "1"],
            capture_output=True, text=True, timeout=30)
        expect(ran.returncode == 0 and "Nobody else was there" in ran.stdout, "the text says so", ran.stdout)
        expect("Everything that was sent" not in ran.stdout, "and nothing else", ran.stdout)


def test_whoever_came_and_left_was_met():
    with server() as url:
        ours = agent(url, "ours", seconds=90)
        Admin(url).active("ours")
        lk_peer(url, "real", "--tone", "440", seconds=3).result()
        report = ours.stopped(code=(0, LOST))
    expect(report["met"] == ["real"] and not judged_by_machine(report), "real was met and lost nothing", report["failures"])


def test_what_a_permission_forbids_is_named():
    with server() as url:
        report = agent(
            url, "ours", "--tone", "440", "--test-card", "160x90", "--camera-permission", "denied", seconds=2).result(code=LOST)
    expect(report["reasons"] == ["forbidden"] and report["media"]["refused"] == ["video"], "the camera is named", report)


def test_a_call_whose_connections_are_made_anew():
    """The server ends in the middle and another one takes its place."""
    seconds, lost_at = 36, 20
    first = RunningServer()
    first.wait_until_ready()
    second = None
    try:
        child = Child("call", [
            CALLAGENT, "call", "--json", "--participants", "2", "--duration", str(seconds), "--picture", "160x90@10",
            "--server", first.url, *CREDENTIALS])
        select.select([], [], [], lost_at)
        first.process.kill()
        first.process.wait()
        second = RunningServer(port=first.port)
        second.wait_until_ready()
        report = child.result(120, code=LOST)
    finally:
        first.stop()
        if second:
            second.stop()
    expect("reconnected" in report["reasons"], "the reason is named", report["failures"])
    each = {row["identity"]: row["reconnects"] for row in report["participants"]}
    expect(min(each.values()) >= 1 and report["reconnects"] == sum(each.values()), "each one's are counted", each)
    # 50 packets a second: the second server has seen no more than this, however soon everybody was back.
    after = (seconds - lost_at + 1) * 50
    for track in report["tracks"]:
        if track["kind"] == "audio":
            expect(track["packetsSent"] > after, "what was sent adds up", track)
            expect(track["packetsReceived"] > after, "and what was received", track)


def test_what_the_server_forbids_is_named():
    with server() as url:
        ours = agent(url, "ours", "--tone", "440", seconds=8)
        admin = Admin(url)
        admin.active("ours", tracks=1)
        silent = models.ParticipantPermission(can_subscribe=True, can_publish=False)
        admin.update_participant(rooms.UpdateParticipantRequest(room=ROOM, identity="ours", permission=silent))
        report = ours.result(code=LOST)
    expect("forbidden" in report["reasons"], "the reason is named", report["failures"])
    expect(any("forbade us to publish" in line for line in report["failures"]), "and by whom", report["failures"])


@contextlib.contextmanager
def full_device():
    """A device on which nothing fits. Of our own where we may make one: /dev/full of the machine may have been replaced."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "full")
        try:
            os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 7))
            os.close(os.open(path, os.O_WRONLY))
        except OSError:
            path = "/dev/full"
        expect(stat.S_ISCHR(os.stat(path).st_mode) and os.stat(path).st_rdev == os.makedev(1, 7),
               f"{path} is the full device of Linux; put it back with: mknod -m 666 /dev/full c 1 7")
        yield path
        expect(stat.S_ISCHR(os.stat(path).st_mode), f"{path} is still a device")


def test_a_journal_that_cannot_be_written():
    with server() as url, full_device() as full:
        join = Child("join", [CALLAGENT, "join", "--json", "--url", url, *CREDENTIALS, "--room", "r", "--identity", "ours",
                              "--duration", "2", "--journal", full])
        call = Child("call", [CALLAGENT, "call", "--json", "--participants", "2", "--duration", "3", "--picture",
                              "160x90@10", "--journal", full])
        for child in (join, call):
            report = child.result(code=(LOST, ENVIRONMENT))
            what = f"{child.name} --journal"
            expect("journal" in report["reasons"], f"{what}: is a reason", report["reasons"])
            expect(any(full in line and "No space left" in line for line in report["failures"]), f"{what}: names the file", report["failures"])
            lost = set(report["reasons"]) - {"journal"}
            expect(child.process.returncode == (LOST if lost else ENVIRONMENT), f"{what}: the exit code", report["reasons"])


def test_a_servers_journal_that_cannot_be_written():
    with full_device() as full:
        running = RunningServer("--journal", full)
        running.wait_until_ready()
        agent(running.url, "ours", seconds=2).result()
        running.process.send_signal(signal.SIGTERM)
        code = running.process.wait(15)
        running.log.seek(0)
        said = running.log.read()
        expect(code == ENVIRONMENT, "serve exits with 3", (code, said))
        expect(full in said and "No space left" in said, "and names the file", said)


def test_recordings_of_hostile_names():
    names = {"../../../escape": "_.._.._.._escape", "e" + "\u0301" * 100: "_", "名" * 80: "名" * 66}
    with tempfile.TemporaryDirectory() as folder, server() as url:
        target = os.path.join(folder, "deep", "recordings")
        ours = agent(url, "ours", "--record", target, seconds=90)
        Admin(url).active("ours")
        for sender in [agent(url, name, "--tone", "440", seconds=4) for name in names]:
            sender.result(code=(0, LOST))
        report = ours.stopped(code=(0, LOST))
        expect("output" not in report["reasons"], "every recording was written", report["failures"])
        files = sorted(name for _, _, found in os.walk(folder) for name in found)
        met = {name for name in names if name in report["met"]}
        expect(len(met) == len(names), "the server lets such names in", [name[:20] for name in report["met"]])
        expect(files == sorted(names[name] + ".wav" for name in met), "a file each, in its folder", files)


def test_a_recording_that_cannot_be_made_ends_nothing():
    with tempfile.TemporaryDirectory() as folder, server() as url:
        target = os.path.join(folder, "recordings")
        ours = agent(url, "ours", "--record", target, seconds=90)
        Admin(url).active("ours")
        lk_peer(url, "watcher", "--tone", "440", "--no-dtx", seconds=3).result()
        # Its folder goes while it is in the call.
        os.rename(target, target + "-away")
        lk_peer(url, "late", "--tone", "880", "--no-dtx", seconds=3).result()
        report = ours.stopped(code=(LOST, ENVIRONMENT))
    expect("output" in report["reasons"] and "late" in report["met"], "it stays, and names what it could not write", report["failures"])
    heard = agent_track(report, "late", "audio")
    expect(heard["framesDecoded"] > 20, "and hears on", heard)


def screen(text):
    """The lines of a terminal that was sent `text`, and those that it showed at any time."""
    lines, shown, line, column = [], [], "", 0
    for token in re.findall(r"\x1b\[K|\r|\n|[^\r\n\x1b]+", text):
        if token == "\r":
            column = 0
        elif token == "\n":
            lines.append(line)
            line, column = "", 0
        elif token == "\x1b[K":
            shown.append(line)
            line = line[:column]
        else:
            line = line[:column] + token + line[column + len(token):]
            column += len(token)
    return lines + [line], shown


def test_indicator_and_progress_share_a_terminal():
    with server() as url:
        real = lk_peer(url, "real", "--tone", "440", "--no-dtx", "--video", "320x180@15", seconds=6)
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [CALLAGENT, "join", "--url", url, *CREDENTIALS, "--room", "interop", "--identity", "ours", "--indicator",
             "--duration", "5"], stdin=subprocess.DEVNULL, stdout=follower, stderr=follower)
        os.close(follower)
        text = b""
        with contextlib.suppress(OSError):
            while select.select([leader], [], [], 30)[0] and (part := os.read(leader, 65536)):
                text += part
        process.wait(30)
        os.close(leader)
        real.result()
    lines, shown = screen(text.decode().replace("\r\n", "\n"))
    told = [line for line in lines if "indicator:" in line]
    expect(len(told) >= 2, "the indicator changes", lines)
    whole = re.compile(r"indicator: (nobody|(video|avatar|empty) of real)")
    expect(all(whole.fullmatch(line) for line in told), "its lines are whole, and nothing else's", told)
    progress = [line for line in shown if "tracks flow" in line]
    expect(progress, "progress is shown", shown[:5])
    expect(not any("indicator" in line for line in progress), "apart from them", progress)
    expect(not any("tracks flow" in line for line in lines), "and leaves nothing behind", lines)

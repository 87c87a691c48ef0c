"""Recordings in WebM, judged by ffprobe and ffmpeg: a participant's, one that was killed, a full disk, a composed room."""
import contextlib
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import zipfile

import numpy
import opentok

from harness import CALLAGENT, KEY, SECRET, LeftOut, RunningServer, agent, expect, lk_peer, near, server, session_agent

TONES = {"ada": 440, "bob": 660, "cyd": 880, "dan": 1100}


def tool(name):
    path = shutil.which(name)
    if not path:
        raise LeftOut(f"{name} is not installed; run Scripts/bootstrap --interop")
    return path


def probe(path):
    out = subprocess.run(
        [tool("ffprobe"), "-v", "error", "-show_streams", "-show_format", "-of", "json", path],
        capture_output=True, check=True, text=True)
    return json.loads(out.stdout)


def streams(path):
    return {stream["codec_name"]: stream for stream in probe(path)["streams"]}


def packet_times(path, kind):
    out = subprocess.run(
        [tool("ffprobe"), "-v", "error", "-select_streams", kind, "-show_entries", "packet=pts_time", "-of", "csv=p=0", path],
        capture_output=True, check=True, text=True)
    return [float(word.strip(",")) for word in out.stdout.split() if word.strip(",") not in ("", "N/A")]


def sound(path):
    """Mono samples at 48 kHz from the file's beginning, silence where nothing was recorded."""
    out = subprocess.run(
        [tool("ffmpeg"), "-v", "error", "-i", path, "-vn", "-af", "aresample=async=1:first_pts=0", "-ac", "1", "-ar", "48000",
         "-f", "s16le", "-"], capture_output=True, check=True)
    expect(not out.stderr, "ffmpeg decodes the sound", out.stderr.decode())
    return numpy.frombuffer(out.stdout, "<i2").astype(float) / 32768


def strength(samples, hertz):
    window = numpy.hanning(len(samples))
    phase = numpy.exp(-2j * numpy.pi * hertz * numpy.arange(len(samples)) / 48000)
    return 2 * abs((samples * window * phase).sum()) / window.sum()


@functools.cache
def time_base_of_the_input():
    """In ffmpeg's words, which are others from version 7 on."""
    version = subprocess.run([tool("ffmpeg"), "-version"], capture_output=True, text=True, check=True).stdout
    return "-1" if re.match(r"ffmpeg version [0-6]\.", version) else "demux"


def pictures(path):
    """How many pictures ffmpeg decodes, and the last one's time."""
    out = subprocess.run(
        [tool("ffmpeg"), "-v", "error", "-y", "-i", path, "-an", "-fps_mode", "passthrough", "-enc_time_base",
         time_base_of_the_input(), "-f", "rawvideo", "/dev/null"], capture_output=True, text=True)
    expect(out.returncode == 0 and not out.stderr, "ffmpeg decodes the pictures", out.stderr)
    return packet_times(path, "v")


def record(url, path, seconds, *options):
    return agent(url, "recorder", "--record", path, *options, seconds=seconds)


def test_one_file_has_a_participants_sound_and_pictures_in_step():
    tool("ffprobe")
    with tempfile.TemporaryDirectory() as folder, server() as url:
        path = os.path.join(folder, "call.webm")
        ours = record(url, path, 10)
        ada = agent(url, "ada", "--tone", "440", "--test-card", "640x360@30", seconds=7)
        report = ours.result(code=(0, 1))
        ada.result()
        expect(os.stat(path).st_mode & 0o777 == 0o600, "nobody else can read it", oct(os.stat(path).st_mode))
        [made] = report["recordings"]
        expect(made["files"] == [path] and sorted(made["tracks"]) == ["opus", "vp8"], "one file of both", made)
        expect(made["bytes"] == os.path.getsize(path), "its size is told", made)
        found = streams(path)
        expect(set(found) == {"opus", "vp8"}, "both tracks", list(found))
        expect((found["vp8"]["width"], found["vp8"]["height"]) == (640, 360), "the picture's size", found["vp8"])
        seconds = float(probe(path)["format"]["duration"])
        near(seconds, made["durationSeconds"], 0.1, "the duration")
        expect(seconds > 5, "it lasts as long as was sent", seconds)
        video, audio = pictures(path), packet_times(path, "a")
        expect(len(video) > 25 * (video[-1] - video[0]), "at full rate", len(video))
        near(video[-1], audio[-1], 0.1, "sound and pictures end together")
        samples = sound(path)
        expect(strength(samples[48000:96000], 440) > 0.1, "the tone")


def test_several_participants_have_a_file_each():
    with tempfile.TemporaryDirectory() as folder, server() as url:
        ours = record(url, os.path.join(folder, "call.mkv"), 8)
        others = [agent(url, name, "--tone", str(TONES[name]), seconds=5) for name in ("ada", "bob")]
        report = ours.result(code=(0, 1))
        for other in others:
            other.result(code=(0, 1))
        expect(len(report["recordings"]) == 2, "two recordings", report["recordings"])
        names = sorted(os.listdir(folder))
        expect(len(names) == 2 and "call.mkv" in names, "named after the first and each other", names)
        for made in report["recordings"]:
            samples = sound(made["files"][0])
            expect(strength(samples[48000:96000], TONES[made["from"]]) > 0.1, f"{made['from']}'s tone", made)
            expect(set(streams(made["files"][0])) == {"opus"}, "no empty track", made)


def test_a_killed_recording_plays_up_to_its_last_second():
    with tempfile.TemporaryDirectory() as folder, server() as url:
        path = os.path.join(folder, "call.webm")
        ada = agent(url, "ada", "--tone", "440", "--test-card", "640x360@30", seconds=14)
        ours = subprocess.Popen(
            [CALLAGENT, "join", "--url", url, "--key", KEY, "--secret", SECRET, "--room", "interop", "--identity", "recorder",
             "--record", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while not os.path.exists(path) and time.monotonic() < deadline:
            time.sleep(0.05)
        begun = time.monotonic()
        expect(os.path.exists(path), "the recording has begun")
        time.sleep(5)
        ours.send_signal(signal.SIGKILL)
        lasted = time.monotonic() - begun
        ours.wait()
        ada.result(code=(0, 1))
        video, audio = pictures(path), packet_times(path, "a")
        expect(min(video[-1], audio[-1]) > lasted - 1, "up to the last second", (video[-1], audio[-1], lasted))
        near(float(probe(path)["format"]["duration"]), max(video[-1], audio[-1]), 0.5, "the head tells the duration")
        expect(strength(sound(path)[48000:96000], 440) > 0.1, "the tone")


def test_a_full_disk_ends_the_recording_alone():
    if os.geteuid() != 0:
        raise LeftOut("a small file system can't be mounted without root")
    with tempfile.TemporaryDirectory() as folder, server() as url:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", folder]).returncode != 0:
            raise LeftOut("no file system can be mounted here")
        try:
            path = os.path.join(folder, "call.webm")
            ours = record(url, path, 9)
            ada = agent(url, "ada", "--tone", "440", "--test-card", "640x360@30", seconds=7)
            report = ours.result(code=(1, 3))
            ada.result()
            expect("output" in report["reasons"], "the reason", report["reasons"])
            expect("No space left" in report["recordings"][0]["failure"], "told", report["recordings"])
            track = next(t for t in report["tracks"] if t["from"] == "ada" and t["kind"] == "video")
            expect(track["framesDecoded"] > 120, "the call went on", track)
            expect(len(packet_times(path, "v")) > 10, "what was written plays")
        finally:
            subprocess.run(["umount", folder], check=True)


def archive(url, folder, seconds, *options):
    return subprocess.Popen(
        [CALLAGENT, "archive", "record", "--url", url, "--key", KEY, "--secret", SECRET, "--room", "interop", "--to", folder,
         "--duration", str(seconds), "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_composed_archive_of_four():
    with tempfile.TemporaryDirectory() as folder, server() as url:
        cast = [
            agent(url, name, "--tone", str(TONES[name]), *(["--beep"] if name == "ada" else []), "--test-card", "320x180@15",
                  seconds=16) for name in TONES]
        time.sleep(4)
        begun = time.time()
        making = archive(url, folder, 8, "--resolution", "1280x720")
        out, err = making.communicate(timeout=120)
        for other in cast:
            report = other.result(code=(0, 1))
            expect("recorder" not in " ".join(report["met"]), "the recorder is hidden", report["met"])
        expect(making.returncode == 0, "the archive is available", (out, err))
        made = json.loads(out)
        expect(made["state"] == "available" and made["reason"] == "user initiated", "state", made)
        path = os.path.join(folder, made["id"], "archive.webm")
        expect(made["size"] == os.path.getsize(path), "size", made)
        expect(sorted(os.listdir(os.path.dirname(path))) == ["archive.json", "archive.webm"], "the parts are gone")
        found = streams(path)
        expect(set(found) == {"opus", "vp8"}, "both tracks", list(found))
        seconds = float(probe(path)["format"]["duration"])
        near(seconds, made["duration"], made["duration"] * 0.02, "the duration, within 2 %")
        expect(begun > 0 and made["duration"] >= 7.5, "as long as was asked for", made)
        samples = sound(path)
        check_skew(path, samples, TONES["ada"])
        samples = samples[5 * 48000:6 * 48000]
        for name in ("bob", "cyd", "dan"):  # ada's beeps were found already
            expect(strength(samples, TONES[name]) > 0.05, f"{name}'s tone", strength(samples, TONES[name]))
        expect(strength(samples, 1000) < 0.02, "and no other", strength(samples, 1000))
        check_tiles(path)
        near(packet_times(path, "v")[-1], packet_times(path, "a")[-1], 0.06, "both tracks end together")


def gray(path, *options):
    out = subprocess.run(
        [tool("ffmpeg"), "-v", "error", *options, "-i", path, "-fps_mode", "passthrough", "-pix_fmt", "gray", "-f", "rawvideo", "-"],
        capture_output=True, check=True)
    return numpy.frombuffer(out.stdout, numpy.uint8).reshape(-1, 720, 1280)


def card(tile):
    """A test card's sender, number and the lower 32 bits of its capture time in us; None where its pilots are not seen."""
    cells = [[int(tile[row * 16 + 4:row * 16 + 12, column * 16 + 4:column * 16 + 12].mean() > 128) for column in range(40)]
             for row in range(3)]
    if cells[0][:2] != [1, 0] or cells[1][:2] != [0, 1] or cells[2][:2] != [1, 0]:
        return None
    word = int("".join(str(cell) for row in cells for cell in row[2:38]), 2)
    return word >> 88 & 0xffff, word >> 56 & 0xffffffff, word >> 24 & 0xffffffff


def beeps(samples, hertz):
    """When beeps begin: a window of 40 ms, which tells the speakers' tones apart, is half as loud where half of it is inside."""
    loudness = numpy.array([strength(samples[at:at + 1920], hertz) for at in range(0, len(samples) - 1920, 48)])
    loud = loudness > loudness.max() / 2
    return [(index * 48 + 960) / 48000 for index in range(60, len(loud)) if loud[index] and not loud[index - 60:index].any()]


def check_skew(path, samples, hertz):
    """One speaker beeps at each full second of the clock that its test card shows: skew is how far both are apart in the file."""
    times, starts, now = packet_times(path, "v"), beeps(samples, hertz), time.monotonic()
    expect(len(starts) >= 5, "a beep a second", starts)
    shifts = {}
    for when, picture in zip(times, gray(path)):
        for y in (0, 360):
            for x in (0, 640):
                reading = card(picture[y:y + 360, x:x + 640])
                if reading:
                    sender, number, micros = reading
                    captured = micros + 2 ** 32 * round((now * 1e6 - micros) / 2 ** 32)
                    shifts.setdefault(sender, {}).setdefault(number, when - captured / 1e6)
    # A frame drawn amiss is no frame of any sender's.
    shifts = {sender: list(frames.values()) for sender, frames in shifts.items() if len(frames) > 30}
    expect(len(shifts) == 4, "four cards", list(shifts))
    for sender, shift in shifts.items():
        skews = [1000 * ((start - float(numpy.median(shift)) + 0.5) % 1 - 0.5) for start in starts]
        expect(max(abs(skew) for skew in skews) < 60, f"{sender}'s card is in step with the beeps, to 60 ms", skews)


def check_tiles(path):
    """A test card's upper left cell pairs are white-black and black-white: they stand in each tile of a 2x2 grid."""
    out = subprocess.run(
        [tool("ffmpeg"), "-v", "error", "-ss", "5", "-i", path, "-frames:v", "1", "-pix_fmt", "gray", "-f", "rawvideo", "-"],
        capture_output=True, check=True)
    picture = numpy.frombuffer(out.stdout, numpy.uint8).reshape(720, 1280)
    numbers = set()
    for y in (0, 360):
        for x in (0, 640):
            tile = picture[y:y + 360, x:x + 640]
            cells = [[int(tile[row * 16 + 4:row * 16 + 12, column * 16 + 4:column * 16 + 12].mean() > 128)
                      for column in range(40)] for row in range(3)]
            expect(cells[0][:2] == [1, 0] and cells[1][:2] == [0, 1], f"a test card at {x},{y}", cells[0][:4])
            bits = "".join(str(cell) for cell in cells[0][2:38])
            numbers.add(int(bits[4:20], 2))
    expect(len(numbers) == 4, "four senders' numbers", numbers)


def test_an_individual_archive():
    with tempfile.TemporaryDirectory() as folder, server() as url:
        cast = [agent(url, name, "--tone", str(TONES[name]), "--test-card", "320x180@15", seconds=10) for name in ("ada", "bob")]
        time.sleep(2)
        making = archive(url, folder, 5, "--output-mode", "individual")
        out, err = making.communicate(timeout=60)
        for other in cast:
            other.result(code=(0, 1))
        expect(making.returncode == 0, "the archive is available", (out, err))
        made = json.loads(out)
        with open(os.path.join(folder, made["id"], "archive.json")) as file:
            manifest = json.load(file)
        expect(len(manifest["files"]) == 2, "a file for each", manifest["files"])
        for entry in manifest["files"]:
            path = os.path.join(folder, made["id"], entry["filename"])
            expect(set(streams(path)) == {"opus", "vp8"}, "both tracks", entry)
            expect(strength(sound(path)[48000:96000], TONES[entry["streamId"]]) > 0.1, "its own tone", entry)


def ask(url, *arguments, code=0):
    """What `callagent archive` prints of a server's archives."""
    done = subprocess.run(
        [CALLAGENT, "archive", arguments[0], "--server", url.replace("ws", "http", 1), "--key", KEY, "--secret", SECRET, "--json",
         *arguments[1:]], capture_output=True, text=True, timeout=120)
    expect(done.returncode == code, f"archive {arguments} ends with {code}", (done.returncode, done.stdout, done.stderr))
    return json.loads(done.stdout) if done.stdout.strip() else done.stderr


def new_session(url):
    sdk = opentok.Client(KEY, SECRET, api_url=url.replace("ws", "http", 1), timeout=10)
    return sdk, sdk.create_session(media_mode=opentok.MediaModes.routed).session_id


def wait_for_streams(sdk, session, count, limit=20):
    end = time.monotonic() + limit
    while (seen := sdk.list_streams(session).count) < count:
        expect(time.monotonic() < end, f"{count} streams are published", seen)
        time.sleep(0.1)


def test_a_session_of_four_is_archived_by_its_server():
    with tempfile.TemporaryDirectory() as folder, server("--archives", folder) as url:
        sdk, session = new_session(url)
        cast = [session_agent(url, session, name, "--tone", str(TONES[name]), *(["--beep"] if name == "ada" else []),
                              "--test-card", "320x180@15", seconds=60) for name in TONES]
        wait_for_streams(sdk, session, 4)
        time.sleep(2)
        archive = sdk.start_archive(session, resolution="1280x720", name="four")
        begun = time.monotonic()
        time.sleep(9)
        expect(sdk.list_streams(session).count == 4, "the recorder publishes nothing")
        sdk.stop_archive(archive.id)
        lasted = time.monotonic() - begun
        path = os.path.join(folder, "fetched.webm")
        fetched = ask(url, "fetch", archive.id, "-o", path, "--wait", "60")
        expect(fetched["size"] == os.path.getsize(path), "all of it is fetched", fetched)
        expect("is there already" in ask(url, "fetch", archive.id, "-o", path, code=3), "never over another file")
        made = sdk.get_archive(archive.id)
        expect(made.status == "available" and made.size == fetched["size"], "state and size", made.attrs())
        for other in cast:
            report = other.stopped(code=(0, 1))
            expect(sorted(report["met"]) == sorted(set(TONES) - {other.name}), "the recorder is hidden", report["met"])
        found = streams(path)
        expect(set(found) == {"opus", "vp8"} and (found["vp8"]["width"], found["vp8"]["height"]) == (1280, 720), "both tracks", found)
        seconds = float(probe(path)["format"]["duration"])
        near(seconds, made.duration, 0.5 + seconds * 0.02, "the duration, which is told in whole seconds")
        near(seconds, lasted, lasted * 0.02 + 0.15, "the duration, within 2 % of the time between the requests")
        samples = sound(path)
        check_skew(path, samples, TONES["ada"])
        samples = samples[5 * 48000:6 * 48000]
        for name in ("bob", "cyd", "dan"):  # ada's beeps were found already
            expect(strength(samples, TONES[name]) > 0.05, f"{name}'s tone", strength(samples, TONES[name]))
        expect(strength(samples, 1000) < 0.02, "and no other", strength(samples, 1000))
        check_tiles(path)
        near(packet_times(path, "v")[-1], packet_times(path, "a")[-1], 0.06, "both tracks end together")


def test_single_files_of_a_session_and_a_server_that_ends():
    with tempfile.TemporaryDirectory() as folder:
        running = RunningServer("--archives", folder)
        try:
            running.wait_until_ready()
            sdk, session = new_session(running.url)
            cast = [session_agent(running.url, session, name, "--tone", str(TONES[name]), "--test-card", "320x180@15", seconds=25)
                    for name in ("ada", "bob")]
            wait_for_streams(sdk, session, 2)
            single = ask(running.url, "start", "--session", session, "--output-mode", "individual")
            time.sleep(4)
            ask(running.url, "stop", single["id"])
            path = os.path.join(folder, "fetched.zip")
            ask(running.url, "fetch", single["id"], "-o", path, "--wait", "30")
            check_single_files(path, os.path.join(folder, "single"))
            # The server's end is the archive's end.
            last = ask(running.url, "start", "--session", session)
            time.sleep(4)
        finally:
            running.stop()
        for other in cast:
            other.result(code=(0, 1, 3))
        with server("--archives", folder) as url:
            listed = ask(url, "list", "--session", session)
            expect([(one["id"], one["status"]) for one in listed["items"]] == [(last["id"], "available"), (single["id"], "available")],
                   "the next server knows them", listed)
            expect(listed["items"][0]["reason"] == "session ended", "why it has ended", listed)
            path = os.path.join(folder, "last.webm")
            ask(url, "fetch", last["id"], "-o", path)
            expect(float(probe(path)["format"]["duration"]) > 3 and set(streams(path)) == {"opus", "vp8"}, "it is whole")
            ask(url, "delete", last["id"])
            expect("no such archive" in ask(url, "stop", last["id"], code=1), "it is gone")


def check_single_files(path, folder):
    with zipfile.ZipFile(path) as pack:
        expect(pack.testzip() is None, "checksums", pack.namelist())
        pack.extractall(folder)
    with open(os.path.join(folder, "archive.json")) as file:
        manifest = json.load(file)
    kinds = [",".join(sorted(streams(os.path.join(folder, entry["filename"])))) for entry in manifest["files"]]
    expect(kinds == ["opus,vp8", "opus,vp8"], "a file for each stream", kinds)
    for entry in manifest["files"]:
        expect(entry["filename"] == entry["streamId"] + ".webm", "named after its stream", entry)
    heard = [sound(os.path.join(folder, entry["filename"])) for entry in manifest["files"]]
    tones = sorted(max((440, 660), key=lambda hertz: strength(samples[48000:96000], hertz)) for samples in heard)
    expect(tones == [440, 660], "each one's own tone", tones)


def test_a_killed_server_leaves_files_that_play():
    with tempfile.TemporaryDirectory() as folder:
        running = RunningServer("--archives", folder)
        try:
            running.wait_until_ready()
            sdk, session = new_session(running.url)
            ada = session_agent(running.url, session, "ada", "--tone", "440", "--test-card", "320x180@15", seconds=15)
            wait_for_streams(sdk, session, 1)
            id = ask(running.url, "start", "--session", session)["id"]
            parts = os.path.join(folder, KEY, id)
            end = time.monotonic() + 10
            while len(os.listdir(parts)) < 2 and time.monotonic() < end:
                time.sleep(0.05)
            begun = time.monotonic()
            time.sleep(5)
            running.process.kill()
            running.process.wait()
            lasted = time.monotonic() - begun
        finally:
            running.stop()
        ada.result(code=(0, 1, 3))
        names = [name for name in os.listdir(parts) if name != "archive.json"]
        expect(len(names) == 1, "the stream's own file", names)
        path = os.path.join(parts, names[0])
        expect(set(streams(path)) == {"opus", "vp8"}, "sound and pictures", list(streams(path)))
        for track in ("a", "v"):
            times = packet_times(path, track)
            expect(times[-1] > lasted - 1, f"{track} up to the last second", (times[-1], lasted))
        pictures(path)
        expect(strength(sound(path)[48000:96000], 440) > 0.1, "the tone")
        with server("--archives", folder) as url:
            [known] = ask(url, "list")["items"]
            expect(known["status"] == "failed" and "the server ended" in known["reason"], "the next server says so", known)


def test_a_full_disk_fails_an_archive_alone():
    if os.geteuid() != 0:
        raise LeftOut("a small file system can't be mounted without root")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", folder]).returncode != 0:
            raise LeftOut("no file system can be mounted here")
        stack.callback(subprocess.run, ["umount", "-l", folder], check=True)
        with server("--archives", folder) as url:
            sdk, session = new_session(url)
            ada = session_agent(url, session, "ada", "--tone", "440", "--test-card", "640x360@30", seconds=12)
            bob = session_agent(url, session, "bob", seconds=12)
            wait_for_streams(sdk, session, 1)
            archive = sdk.start_archive(session)
            end = time.monotonic() + 20
            while (made := sdk.get_archive(archive.id)).status != "failed":
                expect(time.monotonic() < end, "it fails", made.attrs())
                time.sleep(0.1)
            [shown] = ask(url, "list")["items"]
            expect("No space left" in shown["reason"], "why", shown)
            expect("failed" in ask(url, "fetch", archive.id, "-o", "/tmp/none.webm", code=1), "there is nothing to fetch")
            ada.result(code=(0, 1))
            seen = next(t for t in bob.result(code=(0, 1))["tracks"] if t["from"] == "ada" and t["kind"] == "video")
            expect(seen["framesDecoded"] > 120, "the call went on", seen)
            parts = os.path.join(folder, KEY, archive.id)
            played = [name for name in os.listdir(parts) if name.endswith(".webm") and os.path.getsize(os.path.join(parts, name)) > 5000]
            expect(played and all(probe(os.path.join(parts, name))["streams"] for name in played), "what was written plays", played)


def recorded_codec(codec, name, container):
    """A real peer's pictures in a codec that nothing of ours decodes."""
    with tempfile.TemporaryDirectory() as folder, server() as url:
        real = lk_peer(url, "real", "--tone", "880", "--video", "640x360@15", "--codec", codec, seconds=11)
        time.sleep(4)
        making = archive(url, folder, 5, "--output-mode", "individual")
        out, err = making.communicate(timeout=60)
        real.result()
        expect(making.returncode == 0, "the archive is available", (out, err))
        [file] = [name for name in os.listdir(os.path.join(folder, json.loads(out)["id"])) if name != "archive.json"]
        path = os.path.join(folder, json.loads(out)["id"], file)
        expect(set(streams(path)) == {"opus", name}, "sound and pictures", list(streams(path)))
        with open(path, "rb") as content:
            expect(container in content.read(64), f"the container is {container}")
        times = pictures(path)
        expect(times[-1] - times[0] > 3 and len(times) > 10 * (times[-1] - times[0]), "pictures at full rate", len(times))


def test_vp9_is_recorded_as_it_comes():
    recorded_codec("vp9", "vp9", b"webm")


def test_av1_is_recorded_as_it_comes():
    recorded_codec("av1", "av1", b"webm")


def test_h264_is_recorded_as_it_comes():
    recorded_codec("h264", "h264", b"matroska")

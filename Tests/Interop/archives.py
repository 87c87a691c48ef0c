"""Recordings in WebM, judged by ffprobe and ffmpeg: a participant's, one that was killed, a full disk, a composed room."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

import numpy

from harness import CALLAGENT, KEY, SECRET, LeftOut, agent, expect, lk_peer, near, server

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


def pictures(path):
    """How many pictures ffmpeg decodes, and the last one's time."""
    out = subprocess.run(
        [tool("ffmpeg"), "-v", "error", "-y", "-i", path, "-an", "-fps_mode", "passthrough", "-enc_time_base", "-1",
         "-f", "rawvideo", "/dev/null"], capture_output=True, text=True)
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
            agent(url, name, "--tone", str(TONES[name]), "--test-card", "320x180@15", seconds=16) for name in TONES]
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
        samples = sound(path)[5 * 48000:6 * 48000]
        for name, hertz in TONES.items():
            expect(strength(samples, hertz) > 0.05, f"{name}'s tone", strength(samples, hertz))
        expect(strength(samples, 1000) < 0.02, "and no other", strength(samples, 1000))
        check_tiles(path)
        near(packet_times(path, "v")[-1], packet_times(path, "a")[-1], 0.06, "both tracks end together")


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

"""The active-call indicator of `callagent join`: the line of --indicator, the picture of --pip, the report."""
import os
import subprocess
import tempfile

import numpy

from harness import CALLAGENT, KEY, SECRET, Child, agent, expect, lk_peer, near, server

WIDTH, HEIGHT, RATE = 320, 180, 15


def pictures(path):
    """The pictures of a Y4M file: arrays of the luma plane, and its header's words."""
    with open(path, "rb") as file:
        header, content = file.readline().decode().split(), file.read()
    size = 6 + WIDTH * HEIGHT * 3 // 2
    expect(len(content) % size == 0, "whole frames", len(content))
    frames = numpy.frombuffer(content, numpy.uint8).reshape(-1, size)
    expect((frames[:, :6] == numpy.frombuffer(b"FRAME\n", numpy.uint8)).all(), "each with its marker")
    return frames[:, 6:6 + WIDTH * HEIGHT].reshape(-1, HEIGHT, WIDTH), header


def changes(frames):
    """Which pictures differ from the one before."""
    return (frames[1:] != frames[:-1]).any(axis=(1, 2))


def test_pip_shows_the_counterparts_video_else_the_avatar():
    with tempfile.TemporaryDirectory() as folder, server() as url:
        path = os.path.join(folder, "pip.y4m")
        # Its camera is off for the second half.
        real = lk_peer(url, "real", "--tone", "880", "--video", "640x360@15", "--at", "6:mute:video", seconds=13)
        ours = agent(url, "ours", "--pip", path, seconds=11).result()
        real.result()
        frames, header = pictures(path)
        expect(f"W{WIDTH}" in header and f"H{HEIGHT}" in header and f"F{RATE}:1" in header, "the header", header)
        near(len(frames) / RATE, ours["durationSeconds"], 1.5, "as many pictures as its rate wants")
        shown = ours["indicator"]["shown"]
        content = [entry["content"] for entry in shown if entry.get("participant") == "real"]
        expect(content[-2:] == ["video", "avatar"] and shown[-1]["content"] == "empty",
               "video while it is on, then the avatar, nobody in the end", shown)
        video = next(entry["ms"] for entry in shown if entry["content"] == "video") / 1000
        avatar = [entry["ms"] for entry in shown if entry["content"] == "avatar"][-1] / 1000
        moving = changes(frames)
        # The last that is shown is nobody, when we leave: the file ends with that.
        offset = len(frames) / RATE - shown[-1]["ms"] / 1000
        during = moving[int((video + offset + 1) * RATE):int((avatar + offset - 0.5) * RATE)]
        after = moving[int((avatar + offset + 0.7) * RATE):]
        expect(len(during) > RATE and during.mean() > 0.6, "the video moves", during.mean())
        expect(len(after) > RATE and not after.any(), "the avatar stands still", (len(after), int(after.sum())))
        expect(len(numpy.unique(frames[-1])) >= 2, "and is a picture with a face of its own", numpy.unique(frames[-1]))


def test_pip_of_one_without_a_camera():
    with tempfile.TemporaryDirectory() as folder, server() as url:
        path = os.path.join(folder, "pip.y4m")
        deaf = agent(url, "deaf", "--tone", "440", seconds=8)
        ours = agent(url, "ours", "--pip", path, seconds=4).result()
        deaf.result()
        frames, _ = pictures(path)
        black = (frames.max(axis=(1, 2)) <= 16)
        expect(not black[-RATE:].any(), "an avatar is drawn", int(black.sum()))
        expect(changes(frames).sum() <= 2, "once", int(changes(frames).sum()))
        shown = [entry["content"] for entry in ours["indicator"]["shown"]]
        expect("video" not in shown and shown[-2:] == ["avatar", "empty"], "and told", ours["indicator"])


def test_the_line_follows_the_speaker():
    with server() as url:
        first = agent(url, "first", "--tone", "440", "--test-card", "320x180@15", seconds=12)
        ours = Child("ours", [
            CALLAGENT, "join", "--url", url, "--key", KEY, "--secret", SECRET, "--room", "interop", "--identity", "ours",
            "--duration", "5", "--indicator"])
        out, _ = ours.process.communicate(timeout=60)
        first.result()
        lines = [line for line in out.splitlines() if line.startswith("indicator: ")]
        expect("indicator: video of first" in lines, "the line says whom it shows", lines)
        expect(all(a != b for a, b in zip(lines, lines[1:])), "and only when that changes", lines)


def test_pip_that_cannot_be_written():
    ran = subprocess.run(
        [CALLAGENT, "join", "--url", "ws://127.0.0.1:9", "--key", KEY, "--secret", SECRET, "--room", "r", "--identity",
         "a", "--pip", "picture.png"], capture_output=True, text=True)
    expect(ran.returncode == 2 and ".y4m" in ran.stderr, "a wrong name is told", ran.stderr)

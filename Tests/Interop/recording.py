"""`callagent join --record` writes what a real peer sent into files that others can read."""
import os
import tempfile
import wave

import numpy

from harness import agent, agent_track, expect, lk_peer, near, server


def test_recording():
    with tempfile.TemporaryDirectory() as folder, server() as url:
        target = os.path.join(folder, "new", "recordings")
        real = lk_peer(url, "real", "--tone", "880", "--video", "640x360@15", seconds=9)
        ours = agent(url, "ours", "--record", target, seconds=7)
        report, _ = ours.result(), real.result()
        files = sorted(os.listdir(target))
        expect(len(files) == 2, "a WAV and a Y4M", files)
        check_sound(os.path.join(target, next(name for name in files if name.endswith(".wav"))), 880, 3)
        video = agent_track(report, "real", "video")
        check_pictures(os.path.join(target, next(name for name in files if name.endswith(".y4m"))), 640, 360, video)


def test_a_recording_keeps_its_time_and_has_no_fillers():
    """The sender withdraws its picture and comes back with it: the server ends the track with black pictures."""
    with tempfile.TemporaryDirectory() as folder, server() as url:
        real = lk_peer(url, "real", "--video", "640x360@15", "--at", "6:unpublish:video", seconds=8)
        ours = agent(url, "ours", "--record", folder, seconds=10)
        report, _ = ours.result(code=(0, 1)), real.result()
        video = agent_track(report, "real", "video")
        expect((video["width"], video["height"]) == (640, 360), "the size is the sender's", video)
        expect(not {"undecodable", "framesMissing"} & set(report["reasons"]), "and nothing was lost", report["failures"])
        pictures = check_pictures(os.path.join(folder, "real.y4m"), 640, 360, video)
        dark = [number for number, picture in enumerate(pictures) if max(picture[6:6 + 640 * 360]) < 40]
        expect(not dark, "no picture is black", dark[-10:])


def check_sound(path, hertz, seconds):
    with wave.open(path) as file:  # refuses a header whose sizes are wrong
        rate, channels, count = file.getframerate(), file.getnchannels(), file.getnframes()
        expect(file.getsampwidth() == 2, "16-bit samples", file.getsampwidth())
        samples = numpy.frombuffer(file.readframes(count), "<i2").reshape(-1, channels)[:, 0].astype(float)
    expect(len(samples) == count and count >= seconds * rate, f"the WAV has {seconds} s or more", count / rate)
    sounding = numpy.trim_zeros(samples)[rate // 2:]
    spectrum = numpy.abs(numpy.fft.rfft(sounding * numpy.hanning(len(sounding)))) ** 2
    peak = int(spectrum.argmax())
    near(peak * rate / len(sounding), hertz, hertz * 0.01, "the recorded tone")
    share = spectrum[max(0, peak - 20):peak + 21].sum() / spectrum.sum()
    expect(share > 0.8, "the recorded tone is pure", share)


def check_pictures(path, width, height, video):
    """Header and frame markers stand where the size says; it lasts as long as the sending did, at 15 a second; it moves."""
    with open(path, "rb") as file:
        header, content = file.readline().decode(), file.read()
    words = header.split()
    expect(words[0] == "YUV4MPEG2" and f"W{width}" in words and f"H{height}" in words, "a Y4M header", header)
    expect("F30:1" in words, "the header has the frame rate", header)
    marker, size = b"FRAME\n", width * height * 3 // 2
    count, rest = divmod(len(content), len(marker) + size)
    expect(rest == 0, "the file is whole frames", (len(content), rest))
    pictures = [content[at:at + len(marker) + size] for at in range(0, len(content), len(marker) + size)]
    expect(all(picture.startswith(marker) for picture in pictures), "each frame has its marker")
    lasts, lasted = count / 30, video["framesDecoded"] / 15
    expect(lasted > 2 and abs(lasts - lasted) <= 0.4, "it plays as long as it was sent", {"plays": lasts, "sent": lasted})
    different = {hash(picture) for picture in pictures}
    expect(len(different) > video["framesDecoded"] * 0.8, "the recorded picture moves", len(different))
    return pictures

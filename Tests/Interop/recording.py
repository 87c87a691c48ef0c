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
        decoded = agent_track(report, "real", "video")["framesDecoded"]
        check_pictures(os.path.join(target, next(name for name in files if name.endswith(".y4m"))), 640, 360, decoded)


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


def check_pictures(path, width, height, decoded):
    """Header and frame markers stand where the size says; as many frames as were decoded; the picture moves."""
    with open(path, "rb") as file:
        header, content = file.readline().decode(), file.read()
    words = header.split()
    expect(words[0] == "YUV4MPEG2" and f"W{width}" in words and f"H{height}" in words, "a Y4M header", header)
    expect(any(word.startswith("F") for word in words), "the header has a frame rate", header)
    marker, size = b"FRAME\n", width * height * 3 // 2
    count, rest = divmod(len(content), len(marker) + size)
    expect(rest == 0, "the file is whole frames", (len(content), rest))
    starts = range(0, len(content), len(marker) + size)
    expect(all(content[at:at + len(marker)] == marker for at in starts), "each frame has its marker")
    seen = {"recorded": count, "decoded": decoded}
    expect(count > 45 and abs(count - decoded) <= 2, "all decoded frames are recorded", seen)
    pictures = {hash(content[at:at + len(marker) + size]) for at in starts}
    expect(len(pictures) > count * 0.8, "the recorded picture moves", len(pictures))

"""A melody that tells what of it was heard: notes of 100 ms from a scale of twelve, in an order that repeats only with the whole.

A receiver's recording is cut into windows of 20 ms; in each the strongest note of the scale is looked for, and the windows are
laid beside the melody half a second at a time, so that a receiver may play faster or slower. What doesn't fit was not heard:
silence, invented sound, or the wrong part. A window may be 40 ms early or late, so that what a good concealment hides counts
as heard.
"""
import random
import wave

import numpy as np

RATE, WINDOW, NOTE = 48_000, 960, 4_800
SCALE = [500 + 190 * step for step in range(12)]  # Hz
NOTES = 1_200  # two minutes
TOLERANCE = 2  # windows
SEGMENT = 25  # windows
NEAR = 50  # windows by which a segment may lie elsewhere than the one before it
FOUND = 0.6  # share of a segment's windows that fit where it is in its place
QUIET = 10 ** (-45 / 20)
PER_NOTE = NOTE // WINDOW


def order():
    generator, notes = random.Random(20), [0]
    while len(notes) < NOTES:
        note = generator.randrange(len(SCALE))
        if note != notes[-1]:
            notes.append(note)
    return notes


def samples():
    """Two minutes, int16 at 48 kHz; edges of 5 ms keep notes from clicking."""
    t = np.arange(NOTE)
    edge = np.minimum(1, np.minimum(t + 1, NOTE - t) / 240)
    tones = [(np.sin(2 * np.pi * hertz * t / RATE) * edge * 0.25 * 32767).astype(np.int16) for hertz in SCALE]
    return np.concatenate([tones[note] for note in order()])


def write(path, pcm):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(pcm.tobytes())


def read(path):
    with wave.open(path, "rb") as file:
        if (file.getnchannels(), file.getframerate(), file.getsampwidth()) != (1, RATE, 2):
            raise ValueError(f"{path}: not mono, 48 kHz, 16 bits")
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def notes_of(pcm):
    """The note of each window; -1 for none."""
    windows = pcm[:len(pcm) // WINDOW * WINDOW].reshape(-1, WINDOW).astype(np.float32) / 32768
    t = np.arange(WINDOW)
    taper = np.hanning(WINDOW)
    waves = np.array([taper * np.exp(-2j * np.pi * hertz * t / RATE) for hertz in SCALE]).T
    strength = np.abs(windows @ waves) * 2 / taper.sum()
    best = strength.argmax(axis=1)
    return np.where(strength.max(axis=1) > QUIET, best, -1)


def heard(pcm):
    """Seconds from the first to the last sound, those of them in which the melody was not heard, the longest stretch of
    these, and the stretches of more than 200 ms."""
    found = notes_of(pcm)
    sounding = np.flatnonzero(found >= 0)
    if len(sounding) < 4 * SEGMENT:
        return {"seconds": 0.0, "wrongMs": 0.0, "longestWrongMs": 0.0, "pauses": []}
    # The first window is often half a note.
    found = found[sounding[0]:sounding[-1] + 1]
    right = fit(found, np.repeat(order(), PER_NOTE))
    wrong = stretches(~right)
    return {
        "seconds": round(len(found) * 0.02, 2), "wrongMs": float(20 * (~right).sum()),
        "longestWrongMs": float(20 * max((length for _, length in wrong), default=0)),
        "pauses": [{"atMs": float(20 * at), "ms": float(20 * length)} for at, length in wrong if length > 10]}


def fit(found, reference):
    """Which windows fit the melody where their segment does: near the place of the segment before, or, where that is lost for a
    second, anywhere."""
    right = np.zeros(len(found), bool)
    lag, lost = None, 0
    for start in range(0, len(found), SEGMENT):
        part = found[start:start + SEGMENT]
        if lag is None or lost >= 1_000 / 20 / SEGMENT:
            far, share = search(found[start:start + 4 * SEGMENT], reference, start, range(len(reference)))
            if lag is None or share >= FOUND:
                lag = far
        near, share = search(part, reference, start, range(lag - NEAR, lag + NEAR + 1))
        lost = 0 if share >= FOUND else lost + 1
        lag = near if share >= FOUND else lag
        for shift in range(-TOLERANCE, TOLERANCE + 1):
            right[start:start + len(part)] |= slices(part, reference, start, [lag + shift])[0] == part
    return right


def slices(part, reference, start, lags):
    """What the melody has in the place of a part, for each lag in windows."""
    places = (np.asarray(lags)[:, None] + start + np.arange(len(part))) % len(reference)
    return reference[places]


def search(part, reference, start, lags):
    """The lag at which the most windows fit, and their share."""
    equal = (slices(part, reference, start, lags) == part).mean(axis=1)
    best = int(equal.argmax())
    return lags[best], float(equal[best])


def stretches(flags):
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return [(int(a), int(b - a)) for a, b in zip(edges[::2], edges[1::2])]

"""A melody that tells what of it was heard: notes of 100 ms from a scale of twelve, in an order that repeats only with the whole.

A receiver's recording is cut into windows of 20 ms; in each the strongest note of the scale is looked for, and the windows are
laid beside the melody in the way that fits best (Viterbi's algorithm), so that a receiver may play faster or slower, and leave
something out. What doesn't fit was not heard: silence, invented sound, or the wrong part. A window may be 40 ms early or late,
so that what a good concealment hides counts as heard.
"""
import random
import wave

import numpy as np

RATE, WINDOW, NOTE = 48_000, 960, 4_800
SCALE = [500 + 190 * step for step in range(12)]  # Hz
NOTES = 1_200  # two minutes
TOLERANCE = 2  # windows
# What moving on costs, in windows that don't fit: for each window that is left out or heard again, and at most. A note that is held and
# then cut gains nothing by it, nor does half a second from elsewhere.
SHIFT, JUMP = 1.25, 25
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
    if len(sounding) < 100:
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
    """Which windows fit the melody in their place."""
    windows = np.arange(len(found))
    place = windows + lags(found, reference)
    return np.any([reference[(place + shift) % len(reference)] == found for shift in range(-TOLERANCE, TOLERANCE + 1)], axis=0)


def lags(found, reference):
    """How far from its place in the recording each window lies in the melody, modulo the melody, where that costs least in all."""
    every, reach = np.arange(len(reference)), int(JUMP / SHIFT)
    slope = SHIFT * np.arange(len(reference) + 2 * reach)
    costs = np.zeros((len(found), len(reference)), np.float32)
    least = costs[0]
    for window, note in enumerate(found):
        costs[window] = least + (reference[(every + window) % len(reference)] != note)
        around = np.concatenate((costs[window, -reach:], costs[window], costs[window, :reach]))
        later = np.minimum.accumulate(around - slope) + slope
        earlier = (np.minimum.accumulate((around + slope)[::-1])[::-1]) - slope
        least = np.minimum(np.minimum(later, earlier)[reach:-reach], costs[window].min() + JUMP)
    out = np.zeros(len(found), int)
    out[-1] = costs[-1].argmin()
    for window in range(len(found) - 2, -1, -1):
        distance = abs(every - out[window + 1])
        distance = np.minimum(distance, len(reference) - distance)
        out[window] = (costs[window] + np.minimum(SHIFT * distance, JUMP)).argmin()
    return out


def stretches(flags):
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return [(int(a), int(b - a)) for a, b in zip(edges[::2], edges[1::2])]

"""callagent's test card, drawn and read by numpy: the same picture as `MediaCore/Video/TestCard*.swift`, so that a client
which shares no code with the engine sends and judges the same content.

The strip along the top holds 3 rows of 40 cells: pilots at both ends, and 108 bits between them (version 4, sender 16, frame
number 32, capture time 32, CRC 24). The time is in microseconds of CLOCK_MONOTONIC, which all processes of a machine share.
"""
import math
import time

import numpy as np

COLUMNS, ROWS, DATA = 40, 3, 36
VERSION = 0b0110
PILOTS = [[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 1, 0]]
BLACK, WHITE = 30, 225
CONTRAST = 48  # least difference of the pilots' luma
DIGITS = [
    (14, 17, 19, 21, 25, 17, 14), (4, 12, 4, 4, 4, 4, 14), (14, 17, 1, 2, 4, 8, 31), (31, 2, 4, 2, 1, 17, 14),
    (2, 6, 10, 18, 31, 2, 2), (31, 16, 30, 1, 1, 17, 14), (6, 8, 16, 30, 17, 17, 14), (31, 1, 2, 4, 8, 8, 8),
    (14, 17, 17, 14, 17, 17, 14), (14, 17, 17, 15, 1, 2, 12)]


def crc24(body):
    """RFC 4880 section 6.1, over the 11 bytes of the body."""
    crc = 0xB704CE
    for shift in range(80, -8, -8):
        crc ^= (body >> shift & 0xFF) << 16
        for _ in range(8):
            crc <<= 1
            if crc & 0x1000000:
                crc ^= 0x1864CFB
    return crc & 0xFFFFFF


def lines(row, height):
    return (row * 2 * height + 22) // 45, ((row + 1) * 2 * height + 22) // 45


def span(column, width):
    return (column * width + 20) // 40, ((column + 1) * width + 20) // 40


def yuv(hue, saturation, value):
    """BT.601, limited range."""
    def channel(offset):
        k = (offset + hue * 6) % 6
        return value - value * saturation * max(0, min(k, 4 - k, 1))
    r, g, b = channel(5), channel(3), channel(1)
    return (int(min(max(16 + 65.481 * r + 128.553 * g + 24.966 * b, 16), 235)),
            int(min(max(128 - 37.797 * r - 74.203 * g + 112 * b, 16), 240)),
            int(min(max(128 + 112 * r - 93.786 * g - 18.214 * b, 16), 240)))


class TestCard:
    """Draws I420 pictures. Width and height are even."""

    def __init__(self, sender, width, height):
        if width % 2 or height % 2:
            raise ValueError("even sides only")
        self.sender, self.w, self.h, self.number = sender, width, height, 0
        self.hue = sender * 0.618033988749
        self.top = lines(ROWS - 1, height)[1] & ~1
        self.horizon = self.top + (height - self.top) * 6 // 10
        self.luma = np.zeros((height, 2 * width), np.uint8)
        self.blue = np.full((height // 2, width), 128, np.uint8)
        self.red = self.blue.copy()
        self.speeds = [0] * height
        self._paint()
        self.ball = yuv(self.hue + 0.5, 0.75, 0.98)
        self.planes = (np.zeros((height, width), np.uint8), np.full((height // 2, width // 2), 128, np.uint8),
                       np.full((height // 2, width // 2), 128, np.uint8))
        # Rows that slide alike, as (first, end, speed).
        edges = [r for r in range(self.top, height) if r == self.top or self.speeds[r] != self.speeds[r - 1]] + [height]
        self.bands = [(a, b, self.speeds[a]) for a, b in zip(edges, edges[1:])]
        half = [self.speeds[min(2 * r, height - 1)] for r in range(height // 2)]
        edges = [r for r in range(self.top // 2, height // 2) if r == self.top // 2 or half[r] != half[r - 1]] + [height // 2]
        self.half_bands = [(a, b, half[a]) for a, b in zip(edges, edges[1:])]

    def _paint(self):
        w, h, top, horizon, hue = self.w, self.h, self.top, self.horizon, self.hue
        x = np.arange(w)
        angle = 2 * math.pi * x / w
        wave = 0.5 + 0.25 * np.sin(3 * angle) + 0.15 * np.sin(7 * angle + 1) + 0.1 * np.sin(13 * angle + 2)
        skyline = ((horizon - top) * 0.3 * wave).astype(int)
        hills = np.array(yuv(hue + 0.08, 0.55, 0.38), np.uint8)
        for row in range(top, h):
            if row < horizon:
                self.speeds[row] = 2
                depth = (row - top) / max(1, horizon - top)
                sky = np.array(yuv(hue + 0.06 * (1 - depth), 0.75 - 0.45 * depth, 0.45 + 0.5 * depth), np.uint8)
                colors = np.where((horizon - row <= skyline)[:, None], hills, sky)
            else:
                band = (row - horizon) * 45 // (2 * h)
                near = (row - horizon) / max(1, h - horizon)
                self.speeds[row] = 2 * (band // 2 + 2)
                light, dark = (np.array(yuv(hue + 0.42, 0.55, 0.3 + 0.3 * n), float) for n in (near, near * 0.4))
                share = 0.5 + 0.5 * np.sin(2 * math.pi * max(2, 10 - band) * x / w)
                colors = (dark + (light - dark) * share[:, None]).astype(np.uint8)
            self.luma[row] = np.tile(colors[:, 0], 2)
            if row % 2 == 0:
                self.blue[row // 2] = np.tile(colors[::2, 1], 2)
                self.red[row // 2] = np.tile(colors[::2, 2], 2)

    def draw(self, microseconds=None):
        """The next picture, as the bytes of its planes."""
        frame, self.number = self.number, self.number + 1
        y, u, v = self.planes
        for a, b, speed in self.bands:
            offset = (frame * speed * self.w // 640 & ~1) % self.w
            y[a:b] = self.luma[a:b, offset:offset + self.w]
        for a, b, speed in self.half_bands:
            offset = (frame * speed * self.w // 640 & ~1) // 2 % (self.w // 2)
            u[a:b] = self.blue[a:b, offset:offset + self.w // 2]
            v[a:b] = self.red[a:b, offset:offset + self.w // 2]
        self._draw_ball(frame)
        now = time.monotonic_ns() // 1000 if microseconds is None else microseconds
        self._draw_strip(frame & 0xFFFFFFFF, now & 0xFFFFFFFF)
        return y.tobytes() + u.tobytes() + v.tobytes()

    def _draw_strip(self, number, microseconds):
        body = VERSION << 80 | self.sender << 64 | number << 32 | microseconds
        word = body << 24 | crc24(body)
        for row in range(ROWS):
            first, end = lines(row, self.h)
            cells = PILOTS[row][:2] + [word >> 107 - (row * DATA + c) & 1 for c in range(DATA)] + PILOTS[row][2:]
            for column, cell in enumerate(cells):
                a, b = span(column, self.w)
                self.planes[0][first:end, a:b] = WHITE if cell else BLACK
        for plane in self.planes[1:]:
            plane[:(lines(ROWS - 1, self.h)[1] + 1) // 2] = 128

    def _draw_ball(self, frame):
        tall, wide = self.horizon - self.top, self.w
        radius = max(4, (self.h - self.top) // 8)
        cx = int(wide * (0.5 + 0.36 * math.sin(2 * math.pi * (frame % 360) / 360))) & ~1
        cy = int(self.top + tall * 0.5 + tall * 0.18 * math.sin(2 * math.pi * (frame % 240) / 240)) & ~1
        y, u, v = self.planes
        for line in range(-radius, radius):
            half, row = int(math.sqrt(radius * radius - line * line)), cy + line
            a, b = max(0, cx - half), min(wide, cx + half)
            if not 0 <= row < self.h or b <= a:
                continue
            y[row, a:b] = self.ball[0]
            if row % 2 == 0:
                a, b = max(0, (cx - half) // 2), min(wide // 2, (cx + half) // 2)
                u[row // 2, a:b], v[row // 2, a:b] = self.ball[1], self.ball[2]
        digits = [int(d) for d in str(self.sender)]
        columns = len(digits) * 6 - 1
        scale = max(1, min(radius * 3 // 2 // columns, radius // 7))
        left, upper = cx - columns * scale // 2, cy - 7 * scale // 2
        for place, digit in enumerate(digits):
            for row, bits in enumerate(DIGITS[digit]):
                for column in range(5):
                    if bits >> 4 - column & 1:
                        a, b = left + (place * 6 + column) * scale, upper + row * scale
                        y[max(0, b):max(0, b + scale), max(0, a):max(0, a + scale)] = 40


class CardReader:
    """Reads the strip of pictures of any size."""

    def __init__(self):
        self.cells = {}

    def _cells(self, width, height):
        found = self.cells.get((width, height))
        if found is None:
            def inner(first, end):
                edge = (end - first) // 4
                return first + edge, end - edge
            rows = [inner(*lines(row, height)) for row in range(ROWS)]
            spans = [inner(*span(column, width)) for column in range(COLUMNS)]
            starts = np.array(spans).reshape(-1)
            found = self.cells[(width, height)] = rows, starts, np.array([b - a for a, b in spans], float)
        return found

    def read(self, y):
        """(sender, number, microseconds) of a luma plane, or None where it can't be read with certainty."""
        height, width = y.shape
        if width < 80 or height < 45:
            return None
        rows, starts, widths = self._cells(width, height)
        means = np.empty((ROWS, COLUMNS))
        for row, (first, end) in enumerate(rows):
            sums = np.concatenate(([0], np.cumsum(y[first:end].sum(axis=0, dtype=np.int64))))
            means[row] = (sums[starts[1::2]] - sums[starts[::2]]) / widths / (end - first)
        pilots = means[:, [0, 1, 38, 39]]
        white = np.array(PILOTS, bool)
        if pilots[white].min() - pilots[~white].max() < CONTRAST:
            return None
        low, high = pilots[~white].mean(), pilots[white].mean()
        data = means[:, 2:2 + DATA].reshape(-1)
        if (np.abs(data - (low + high) / 2) <= (high - low) / 8).any():
            return None
        word = int("".join("1" if bit else "0" for bit in data > (low + high) / 2), 2)
        body = word >> 24
        if body >> 80 != VERSION or crc24(body) != word & 0xFFFFFF:
            return None
        return body >> 64 & 0xFFFF, body >> 32 & 0xFFFFFFFF, body & 0xFFFFFFFF


class CardMeter:
    """What `pictures` and its neighbours in callagent's report say of a track, for pictures that somebody else decoded."""

    LEAST_PAUSE = 0.2
    BLANK_SIDE = 16

    def __init__(self):
        self.reader = CardReader()
        self.frames = self.unreadable = self.wrong_sender = self.duplicates = self.missing = self.count = 0
        self.sender = self.first_number = self.last_number = None
        self.first = self.last = None
        self.latencies, self.pauses, self.sizes = [], [], {}
        self.longest = 0.0

    def add(self, y, now):
        """`now`: seconds of the monotonic clock."""
        # The black ones with which a server ends a track that was muted or withdrawn.
        if max(y.shape) <= self.BLANK_SIDE:
            return
        self.frames += 1
        reading = self.reader.read(y)
        if reading is None:
            self.unreadable += 1
            return
        sender, number, micros = reading
        self.sender = sender if self.sender is None else self.sender
        if sender != self.sender:
            self.wrong_sender += 1
            return
        size = f"{y.shape[1]}x{y.shape[0]}"
        self.sizes[size] = self.sizes.get(size, 0) + 1
        late = (int(now * 1e6) - micros) & 0xFFFFFFFF
        self.latencies.append((late - 0x100000000 if late >= 0x80000000 else late) / 1000)
        if self.last_number is None:
            self.first_number, self.first = number, now
        elif number <= self.last_number:
            self.duplicates += 1
            return
        else:
            self.missing += number - self.last_number - 1
            self.longest = max(self.longest, now - self.last)
            if now - self.last > self.LEAST_PAUSE:
                self.pauses.append((self.last - self.first, now - self.last))
        self.count += 1
        self.last_number, self.last = number, now

    def report(self):
        spread = np.percentile(self.latencies, [50, 95, 99]).round(1).tolist() if self.latencies else None
        return {
            "frames": self.frames, "unreadable": self.unreadable, "wrong_sender": self.wrong_sender,
            "duplicates": self.duplicates, "sizes": self.sizes, "framesMissing": self.missing,
            "first_number": self.first_number, "last_number": self.last_number,
            "latencyMs": spread and dict(zip(("p50", "p95", "p99"), spread)),
            "pictures": {
                "count": self.count, "firstSeconds": self.first, "lastSeconds": self.last,
                "longestPauseMs": round(self.longest * 1000, 1), "pauseCount": len(self.pauses),
                "pausedMs": round(sum(length for _, length in self.pauses) * 1000, 1),
                "pauses": [{"atMs": round(at * 1000, 1), "ms": round(length * 1000, 1)} for at, length in self.pauses]}}

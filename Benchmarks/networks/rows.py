"""The rows: which network, for how long, with what content, and what each row's goal is."""
import os
from dataclasses import dataclass, field

HD = ("1280x720@30", 2_488_320)  # what callagent gives that picture; libwebrtc is told the same
SD = ("640x360@30", 622_080)
# 2 Mbit/s, 300 kbit/s, 1 Mbit/s.
STEPS = [(0, 2_000), (15, 300), (35, 1_000)]


@dataclass
class Row:
    name: str
    title: str
    network: str  # as --network takes it; {trace} is the trace file
    seconds: float
    picture: tuple = SD
    simulcast: bool = False  # of the clean publisher in `receiving`
    scenes: tuple = ("receiving", "sending")
    blackout: float = 0.0  # seconds, from START_OF_BLACKOUT on
    steps: list = field(default_factory=list)
    is_fixed: bool = False  # its length is part of it


START_OF_BLACKOUT = 12.0
AFTER_BLACKOUT = 12.0


def blackout(length):
    return Row(
        "Q5", f"nothing for {length} s", f"delay=20,blackout={length}s@{START_OF_BLACKOUT:g}s",
        START_OF_BLACKOUT + length + AFTER_BLACKOUT, blackout=float(length), is_fixed=True)


ROWS = [
    Row("Q1", "clean, 20 ms there and back", "delay=10", 60),
    Row("Q2", "5 % lost, 60 ms there and back", "loss=5,delay=30", 60),
    # Three packets of the about 100 a second that sound and pictures of this size make.
    Row("Q3", "10 % lost in bursts, 100 ms there and back, jitter 30 ms", "loss=10,burst=30,delay=50,jitter=30", 60),
    Row("Q4", "2 Mbit/s, 300 kbit/s, 1 Mbit/s", "trace={trace},delay=20", 60, HD, simulcast=True, steps=STEPS, is_fixed=True),
    blackout(8), blackout(15), blackout(25),
    Row("Q7", "400 kbit/s, 30 ms each way", "rate=400,delay=30", 60, simulcast=True),
    Row("Q9", "join on a clean way, 1280x720", "delay=10", 20, HD, scenes=("sending",), is_fixed=True),
]


def write_trace(folder, steps, length):
    """The file of a row with steps; the path."""
    path = os.path.join(folder, "steps.trace")
    with open(path, "w") as file:
        file.write("# seconds, kbit/s\ntime rate\n")
        for start, rate in steps:
            file.write(f"{start} {rate}\n")
        # The last line of a trace lasts as long as the one before it.
        file.write(f"{length} {steps[-1][1]}\n")
    return path

#!/usr/bin/env python3
"""Joins a call through libcallbridge.so and ctypes, sends a test card, and watches until it has seen so many pictures of somebody.

    watch.py LIBRARY URL TOKEN PICTURES

Prints one line of JSON. The structures are those of include/callbridge.h.
"""
import ctypes as c
import json
import sys
import threading

OK, ENDED, LIVEKIT, AUDIO = 0, 4, 1, 1


class Frame(c.Structure):
    _fields_ = [
        ("y", c.POINTER(c.c_uint8)), ("u", c.POINTER(c.c_uint8)), ("v", c.POINTER(c.c_uint8)), ("y_stride", c.c_int32),
        ("u_stride", c.c_int32), ("v_stride", c.c_int32), ("width", c.c_int32), ("height", c.c_int32), ("time_us", c.c_int64)]


StateCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_int32, c.c_char_p)
ParticipantCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_char_p, c.c_int32)
LevelCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_char_p, c.c_float)
FrameCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_char_p, c.POINTER(Frame))


class Callbacks(c.Structure):
    _fields_ = [
        ("user_data", c.c_void_p), ("state", StateCallback), ("participant", ParticipantCallback), ("audio_level", LevelCallback),
        ("video_frame", FrameCallback)]


class Options(c.Structure):
    _fields_ = [
        ("size", c.c_uint32), ("provider", c.c_int32), ("url", c.c_char_p), ("token", c.c_char_p), ("session", c.c_char_p),
        ("callbacks", Callbacks)]


def load(path):
    library = c.CDLL(path)
    library.callbridge_version.restype = c.c_char_p
    library.callbridge_last_error.restype = c.c_char_p
    library.callbridge_join.argtypes = [c.POINTER(Options), c.POINTER(c.c_uint64)]
    library.callbridge_publish_tone.argtypes = [c.c_uint64, c.c_double]
    library.callbridge_publish_test_card.argtypes = [c.c_uint64, c.c_int32, c.c_int32, c.c_double, c.c_uint16]
    library.callbridge_set_muted.argtypes = [c.c_uint64, c.c_int32, c.c_int32]
    for name in ("leave", "destroy"):
        getattr(library, f"callbridge_{name}").argtypes = [c.c_uint64]
    return library


def main(path, url, token, wanted):
    library = load(path)
    seen = {"pictures": 0, "from": "", "width": 0, "height": 0, "loudest": 0.0, "met": []}
    done, threads = threading.Event(), set()

    def on_state(_, call, state, reason):
        threads.add(threading.get_ident())
        if state == ENDED:
            print(f"ended: {reason.decode()}", file=sys.stderr)
            done.set()

    def on_participant(_, call, identity, joined):
        threads.add(threading.get_ident())
        if joined:
            seen["met"].append(identity.decode())

    def on_level(_, call, identity, level):
        threads.add(threading.get_ident())
        seen["loudest"] = max(seen["loudest"], level)

    def on_frame(_, call, identity, frame):
        threads.add(threading.get_ident())
        seen.update({"from": identity.decode(), "width": frame.contents.width, "height": frame.contents.height})
        seen["pictures"] += 1
        if seen["pictures"] >= wanted:
            done.set()

    # They must outlive the call.
    callbacks = Callbacks(None, StateCallback(on_state), ParticipantCallback(on_participant), LevelCallback(on_level), FrameCallback(on_frame))
    options = Options(c.sizeof(Options), LIVEKIT, url.encode(), token.encode(), None, callbacks)
    call = c.c_uint64()

    def need(code, what):
        if code != OK:
            raise SystemExit(f"{what}: error {code}: {library.callbridge_last_error().decode()}")

    need(library.callbridge_join(options, call), "join")
    need(library.callbridge_publish_tone(call, 880.0), "publish a tone")
    need(library.callbridge_publish_test_card(call, 320, 180, 15.0, 7), "publish a test card")
    done.wait(60)
    pictures = seen["pictures"]
    need(library.callbridge_set_muted(call, AUDIO, 1), "mute")
    need(library.callbridge_leave(call), "leave")
    need(library.callbridge_destroy(call), "destroy")
    again = library.callbridge_destroy(call)
    print(json.dumps({**seen, "version": library.callbridge_version().decode(), "threads": len(threads), "again": again}))
    return 0 if pictures >= wanted else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4], int(sys.argv[4])))

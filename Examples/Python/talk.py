#!/usr/bin/env python3
"""An agent through libcallbridge.so and ctypes: takes a conversation from the queue, answers, calls the visitor, hears a word, and ends it.

    talk.py LIBRARY URL KEY SECRET TOKEN IDENTITY TEXT

Prints one line of JSON. The structures are those of include/callbridge.h; Examples/C/talk.c is the other side.
"""
import ctypes as c
import json
import sys
import threading

from watch import Callbacks, FrameCallback, LevelCallback, ParticipantCallback, StateCallback

OK, AGENT, AUDIO, CHANGED, CONNECTED = 0, 2, 1, 1, 1


class Message(c.Structure):
    _fields_ = [
        ("conversation", c.c_char_p), ("id", c.c_char_p), ("author", c.c_char_p), ("text", c.c_char_p), ("number", c.c_int64),
        ("sent_ms", c.c_int64)]


class Ringing(c.Structure):
    _fields_ = [
        ("ring", c.c_char_p), ("conversation", c.c_char_p), ("caller", c.c_char_p), ("caller_name", c.c_char_p), ("kind", c.c_int32),
        ("until_ms", c.c_int64)]


NumberCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_int32)
ErrorCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_int32, c.c_char_p)
ConversationCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_char_p, c.c_int32)
MessageCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.POINTER(Message))
FateCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_char_p, c.c_char_p, c.c_int32, c.c_char_p)
RingingCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.POINTER(Ringing))
RingEndedCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_char_p, c.c_int32, c.c_char_p)
DataCallback = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_char_p, c.c_char_p, c.POINTER(c.c_uint8), c.c_size_t)


class ClientCallbacks(c.Structure):
    _fields_ = [
        ("user_data", c.c_void_p), ("state", NumberCallback), ("online", NumberCallback), ("error", ErrorCallback),
        ("availability", NumberCallback), ("conversation", ConversationCallback), ("message", MessageCallback),
        ("message_fate", FateCallback), ("ringing", RingingCallback), ("ring_ended", RingEndedCallback)]


class ClientOptions(c.Structure):
    _fields_ = [
        ("size", c.c_uint32), ("role", c.c_int32), ("url", c.c_char_p), ("api_key", c.c_char_p), ("token", c.c_char_p),
        ("name", c.c_char_p), ("secret", c.c_char_p), ("identity", c.c_char_p), ("device", c.c_char_p), ("callbacks", ClientCallbacks)]


class CallCallbacks(Callbacks):
    """With what came with CALLBRIDGE_1.1."""
    _fields_ = [("data", DataCallback)]


class CallOptions(c.Structure):
    _fields_ = [
        ("size", c.c_uint32), ("provider", c.c_int32), ("url", c.c_char_p), ("token", c.c_char_p), ("session", c.c_char_p),
        ("callbacks", CallCallbacks)]


def load(path):
    library = c.CDLL(path)
    library.callbridge_last_error.restype = c.c_char_p
    handle, text = c.c_uint64, c.c_char_p
    signatures = {
        "client_create": [c.POINTER(ClientOptions), c.POINTER(handle)], "client_start": [handle], "client_stop": [handle],
        "client_set_available": [handle, c.c_int32], "client_destroy": [handle], "conversation_join": [handle, text],
        "conversation_end": [handle, text], "message_write": [handle, text, text, text, c.c_size_t],
        "ring": [handle, text, c.c_int32, text, c.POINTER(CallOptions), c.POINTER(handle)], "publish_tone": [handle, c.c_double],
        "send_data": [handle, text, c.c_size_t, text, text, c.c_int32], "leave": [handle], "destroy": [handle]}
    for name, arguments in signatures.items():
        getattr(library, f"callbridge_{name}").argtypes = arguments
    return library


def main(path, url, key, secret, token, identity, text):
    library = load(path)
    seen, changed, threads = {}, threading.Condition(), set()

    def note(name, value):
        with changed:
            threads.add(threading.get_ident())
            seen.setdefault(name, value)
            changed.notify_all()

    def wait(name):
        with changed:
            if not changed.wait_for(lambda: name in seen, 60):
                raise SystemExit(f"{name} did not come within a minute")
            return seen[name]

    def need(code, what):
        if code != OK:
            raise SystemExit(f"{what}: error {code}: {library.callbridge_last_error().decode()}")

    def on_conversation(_, client, conversation, what):
        if what == CHANGED:
            note("conversation", conversation)

    def on_message(_, client, message):
        if message.contents.author.decode() != identity:
            note("message", (message.contents.author.decode(), message.contents.text.decode()))

    def on_data(_, call, sender, topic, content, size):
        note("word", bytes(content[:size]).decode())

    # They must outlive client and call.
    callbacks = ClientCallbacks(
        None, NumberCallback(lambda *_: None), NumberCallback(lambda *_: None),
        ErrorCallback(lambda _, client, code, message: print(f"error {code}: {message.decode()}", file=sys.stderr)),
        NumberCallback(lambda *_: None), ConversationCallback(on_conversation), MessageCallback(on_message), FateCallback(lambda *_: None),
        RingingCallback(lambda *_: None), RingEndedCallback(lambda _, client, ring, outcome, reason: note("ring", outcome)))
    options = ClientOptions(
        c.sizeof(ClientOptions), AGENT, url.encode(), key.encode(), token.encode(), b"Ada", secret.encode(), identity.encode(), b"desk",
        callbacks)
    client, call = c.c_uint64(), c.c_uint64()
    need(library.callbridge_client_create(options, client), "create")
    need(library.callbridge_client_start(client), "start")
    need(library.callbridge_client_set_available(client, 1), "be available")
    conversation = wait("conversation")
    need(library.callbridge_conversation_join(client, conversation), "join")
    author, asked = wait("message")
    need(library.callbridge_message_write(client, conversation, text.encode(), None, 0), "write")
    call_callbacks = CallCallbacks(
        None, StateCallback(lambda *_: None), ParticipantCallback(lambda _, call, who, joined: joined and note("met", who.decode())),
        LevelCallback(lambda *_: None), FrameCallback(lambda *_: None), DataCallback(on_data))
    call_options = CallOptions(c.sizeof(CallOptions), 0, None, None, None, call_callbacks)
    need(library.callbridge_ring(client, conversation, AUDIO, author.encode(), call_options, call), "ring")
    need(library.callbridge_publish_tone(call, 880.0), "publish a tone")
    outcome, met = wait("ring"), wait("met")
    need(library.callbridge_send_data(call, b"over to you", 11, b"talk", None, 1), "send a word")
    word = wait("word")
    need(library.callbridge_leave(call), "leave")
    need(library.callbridge_conversation_end(client, conversation), "end")
    need(library.callbridge_destroy(call), "destroy the call")
    need(library.callbridge_client_stop(client), "stop")
    need(library.callbridge_client_destroy(client), "destroy")
    again = library.callbridge_client_destroy(client)
    print(json.dumps({
        "conversation": conversation.decode(), "author": author, "asked": asked, "ring": outcome, "met": met, "word": word,
        "threads": len(threads), "again": again}))
    return 0 if outcome == CONNECTED else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:8]))

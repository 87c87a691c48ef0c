"""The OpenTok-style REST API, judged by the real server SDK (PyPI `opentok`), with clients in the session that speak the
message transport by an implementation of their own (`peers/ot_client.py`)."""
import base64
import json
import os
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
import opentok
from opentok import Client as SDK, MediaModes, Roles

from harness import HERE, KEY, SECRET, expect, server

sys.path.insert(0, os.path.join(HERE, "peers"))
import ot_client  # noqa: E402


def http(url):
    return url.replace("ws://", "http://")


def sdk(url, secret=SECRET):
    return SDK(KEY, secret, api_url=http(url), timeout=10)


def refusal(call, *arguments):
    """The SDK's class of error, and its words."""
    try:
        result = call(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)
    expect(False, "it is refused", str(result))


def join(url, ot, session, role=Roles.moderator, **options):
    token = ot.generate_token(session, role=role, data=f"role={role.value}", initial_layout_class_list=["first"], **options)
    return ot_client.Client(http(url), token, session)


def stream(id, **video):
    return {"id": id, "name": f"camera {id}", "audioFallbackEnabled": True, "channel": [
        {"id": "audio1", "type": "audio", "active": True},
        {"id": "video1", "type": "video", "active": True, "width": 640, "height": 360, "source": "camera", **video}]}


def publish(client, **video):
    id = str(uuid.uuid4())
    status, _ = client.ask("create", f"/stream/{id}", stream(id, **video))
    expect(status == 200, "the stream is published", status)
    client.until(lambda event: event["method"] == "created" and event["path"] == f"/stream/{id}", "the stream's event")
    return id


def test_opentok_sessions_and_tokens_of_the_sdk():
    with server() as url:
        ot = sdk(url)
        for mode, prefix in ((MediaModes.routed, "2_"), (MediaModes.relayed, "1_")):
            session = ot.create_session(media_mode=mode).session_id
            decoded = base64.urlsafe_b64decode(session[2:] + "=" * (-len(session[2:]) % 4)).decode()
            expect(session.startswith(prefix) and KEY in decoded.split("~"), "the id names mode and key", decoded)
            token = ot.generate_token(session, data="name=Ada")
            expect(jwt.decode(token, SECRET, algorithms=["HS256"])["session_id"] == session, "a token", token)
            legacy = ot.generate_token(session, data="name=Bob", use_jwt=False)
            expect(legacy.startswith("T1=="), "an older token", legacy)
            for one in (token, legacy):
                with ot_client.Client(http(url), one, session) as client:
                    me = next(c for c in client.state()["connection"] if c["id"] == client.id)
                    expect(me["data"] in ("name=Ada", "name=Bob") and "publish" in me["permissions"], "joined", me)
        foreign = ot.generate_token(ot.create_session().session_id)
        status, answer = ot_client.session_info(http(url), session, foreign)
        expect(status == 400 and answer["error"]["code"] == 400, "another session's token", answer)


def test_opentok_rest_commands_act_on_clients():
    with server() as url:
        ot = sdk(url)
        session = ot.create_session(media_mode=MediaModes.routed).session_id
        expect(ot.list_streams(session).count == 0, "nobody publishes")
        with join(url, ot, session) as ada, join(url, ot, session, Roles.subscriber, use_jwt=False) as bob:
            one = publish(ada)
            listed = ot.list_streams(session)
            expect([s.id for s in listed.items] == [one] and listed.count == 1, "the list", vars(listed))
            found = ot.get_stream(session, one)
            expect((found.videoType, found.name, found.layoutClassList) == ("camera", f"camera {one}", ["first"]), "the stream",
                   vars(found))
            ot.set_stream_class_lists(session, [{"id": one, "layoutClassList": ["focus"]}])
            expect(ot.get_stream(session, one).layoutClassList == ["focus"], "its new class")

            ot.send_signal(session, {"type": "chat", "data": "to all"})
            ot.send_signal(session, {"type": "chat", "data": "to bob"}, bob.id)
            bob.until(lambda e: e["method"] == "signal" and e["content"]["data"] == "to bob", "bob's signal")
            expect([e["content"]["data"] for e in bob.heard("signal")] == ["to all", "to bob"], "bob's signals", bob.events)
            expect([e["content"]["data"] for e in ada.heard("signal")] == ["to all"], "ada's signal", ada.events)
            expect({e["from"] for e in bob.heard("signal")} == {bob.info["symphony_address"]}, "from the server itself")

            expect(ot.mute_stream(session, one).status_code == 200, "a stream is muted")
            ada.until(lambda e: e["method"] == "mute" and e["path"] == f"/stream/{one}", "the mute")
            expect(ot.mute_all(session, [one]).status_code == 200, "all are muted")
            forced = bob.until(lambda e: e["method"] == "mute" and e["path"] == "", "force mute")
            expect(forced["content"] == {"active": True, "excludedStreamIds": [one]}, "force mute's content", forced)
            two = publish(ada)
            ada.until(lambda e: e["method"] == "mute" and e["path"] == f"/stream/{two}", "a later stream is muted")
            expect(ot.disable_force_mute(session).status_code == 200, "force mute ends")
            bob.until(lambda e: e["method"] == "mute" and e["content"].get("active") is False, "its end")

            expect(ot.play_dtmf(session, None, "12#").status_code == 200, "tones for all")
            expect(ot.play_dtmf(session, bob.id, "1p2").status_code == 200, "tones for one")
            ot.force_disconnect(session, ada.id)
            ada.wait("ada's end", lambda: ada.close_code is not None)
            expect(ada.close_code == 1000, "a clean end", ada.close_code)
            told = ada.until(lambda e: e["method"] == "deleted" and e["path"] == f"/connection/{ada.id}", "ada is told")
            expect(told["content"]["reason"] == "forceDisconnected", "why", told)
            bob.until(lambda e: e["method"] == "deleted" and e["path"] == f"/connection/{ada.id}", "bob is told")
            gone = [(e["path"], e["content"]["reason"]) for e in bob.heard("deleted")]
            expect(gone == [(f"/stream/{one}", "forceDisconnected"), (f"/stream/{two}", "forceDisconnected"),
                            (f"/connection/{ada.id}", "forceDisconnected")], "streams once, then the connection", gone)


def test_opentok_refusals_map_to_the_sdks_errors():
    with server() as url:
        ot = sdk(url)
        session = ot.create_session().session_id
        wrong = sdk(url, "wrong-secret-wrong-secret-wrong-secret")
        with join(url, ot, session) as client:
            for call, arguments, wanted in (
                    (wrong.list_streams, (session,), "AuthError"),
                    (wrong.create_session, (), "RequestError"),
                    (wrong.send_signal, (session, {"data": "d"}), "RequestError"),
                    (ot.send_signal, (session, {"type": "t", "data": "d"}, "no-such-connection"), "RequestError"),
                    (ot.send_signal, (session, {"type": "t" * 129, "data": "d"}), "RequestError"),
                    (ot.force_disconnect, (session, "no-such-connection"), "ForceDisconnectError"),
                    (ot.get_stream, (session, "no-such-stream"), "GetStreamError"),
                    (ot.set_stream_class_lists, (session, [{"id": "none", "layoutClassList": []}]), "RequestError"),
                    (ot.mute_stream, (session, "no-such-stream"), "OpenTokException"),
                    (ot.play_dtmf, (session, "no-such-connection", "1"), "OpenTokException"),
                    (ot.stop_archive, ("no-such-archive",), "RequestError")):
                name, words = refusal(call, *arguments)
                expect(name == wanted, f"{call.__name__} ends in {wanted}", (name, words))
            name, words = refusal(ot.start_archive, session)
            expect(name == "RequestError", "a server without a recorder", (name, words))
            for call, arguments in ((ot.start_broadcast, (session, {"outputs": {"hls": {}}})), (ot.dial, (session, client.token, "sip:x@h")),
                                    (ot.start_render, (session, client.token, "http://127.0.0.1/"))):
                refusal(call, *arguments)
            expect(client.state()["connection"][0]["id"] == client.id, "the session is as it was")


def test_opentok_roles_hold_on_the_wire():
    with server() as url:
        ot = sdk(url)
        session = ot.create_session(media_mode=MediaModes.relayed).session_id
        with join(url, ot, session) as mod:
            target = publish(mod)
            for role, allowed in ((Roles.subscriber, "subscribe"), (Roles.publisher, "publish subscribe signal"),
                                  (Roles.publisher_only, "publish"), (Roles.moderator, "publish subscribe signal mute unpublish disconnect")):
                with join(url, ot, session, role) as client, join(url, ot, session) as victim:
                    stream_of_victim = publish(victim)
                    own, sub = str(uuid.uuid4()), str(uuid.uuid4())
                    asked = {
                        "publish": ("create", f"/stream/{own}", stream(own)),
                        "subscribe": ("create", f"/stream/{target}/subscriber/{sub}", {"id": sub}),
                        "signal": ("signal", f"/signal/{uuid.uuid4()}", {"type": "t", "data": "d"}),
                        "mute": ("mute", "", {"active": False}),
                        "unpublish": ("delete", f"/stream/{stream_of_victim}", {}),
                        "disconnect": ("delete", f"/connection/{victim.id}", {})}
                    seen = " ".join(name for name, request in asked.items() if client.ask(*request)[0] == 200)
                    expect(seen == allowed, f"what a {role.value} may", seen)


def test_opentok_signals_survive_a_lost_socket():
    with server() as url:
        ot = sdk(url)
        session = ot.create_session().session_id
        with join(url, ot, session) as ada, join(url, ot, session) as bob:
            bob.drop()
            for number in range(20):
                ot.send_signal(session, {"type": "n", "data": str(number)}, bob.id)
            bob.connect(reconnect=True)
            bob.until(lambda e: e["method"] == "signal" and e["content"]["data"] == "19", "the last signal")
            numbers = [e["content"]["data"] for e in bob.heard("signal")]
            expect(numbers == [str(number) for number in range(20)], "each signal once, in order", numbers)
            expect(not ada.heard("deleted"), "nobody saw bob go", ada.events)
            thief = ot_client.Client(http(url), ot.generate_token(session), session, join=False)
            thief.id = ada.id
            thief.connect(reconnect=True)
            thief.wait("the thief's end", lambda: thief.close_code == 1011)
            expect(ada.state()["connection"], "ada is undisturbed")


def callback_receiver():
    """What a server's callbacks tell, in order, and the HTTP server that takes them."""
    told = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    return told, receiver


def test_opentok_session_callbacks_come_in_order():
    told, receiver = callback_receiver()
    with server("--session-callback", f"http://127.0.0.1:{receiver.server_port}/") as url:
        ot = sdk(url)
        session = ot.create_session().session_id
        with join(url, ot, session) as ada, join(url, ot, session) as bob:
            id = publish(ada)
            ada.leave()
            bob.until(lambda e: e["method"] == "deleted" and e["path"] == f"/connection/{ada.id}", "ada is gone")
            bob.wait("the callbacks", lambda: len(told) >= 6)
        names = [event["event"] for event in told[:6]]
        expect(names == ["sessionCreated", "connectionCreated", "connectionCreated", "streamCreated", "streamDestroyed",
                         "connectionDestroyed"], "in order", names)
        expect(told[4]["stream"]["id"] == id and told[4]["reason"] == "clientDisconnected", "the stream's end", told[4])
        expect(told[5]["connection"]["data"] == "role=moderator", "the connection's data", told[5])
    receiver.shutdown()


def available(ot, id, limit=30):
    """The archive, when its file is made."""
    end = time.monotonic() + limit
    while (archive := ot.get_archive(id)).status != "available":
        expect(archive.status in ("started", "paused", "stopped"), "it becomes available", archive.attrs())
        expect(time.monotonic() < end, f"it is available within {limit} s", archive.attrs())
        time.sleep(0.1)
    return archive


def test_opentok_archives_by_the_sdk():
    told, receiver = callback_receiver()
    with tempfile.TemporaryDirectory() as folder, server(
            "--archives", folder, "--session-callback", f"http://127.0.0.1:{receiver.server_port}/") as url:
        ot = sdk(url)
        session = ot.create_session(media_mode=MediaModes.routed).session_id
        name, words = refusal(ot.start_archive, session)
        expect(name == "NotFoundError", "nobody is connected", (name, words))
        with join(url, ot, session) as ada, join(url, ot, session) as bob:
            archive = ot.start_archive(session, name="a", resolution="1280x720", layout={"type": "bestFit", "screenshareType": "pip"})
            expect((archive.status, archive.name, archive.resolution) == ("started", "a", "1280x720"), "it is recorded", archive.attrs())
            bob.until(lambda e: e["method"] == "created" and e["path"] == f"/archive/{archive.id}", "clients are told")
            name, words = refusal(ot.start_archive, session)
            expect(name == "ArchiveError" and "multiArchiveTag" in words, "one at a time", (name, words))
            single = ot.start_archive(session, output_mode=opentok.OutputModes.individual, stream_mode=opentok.StreamModes.manual,
                                      multi_archive_tag="other", has_video=False)
            expect(single.stream_mode == "manual" and not single.has_video, "another one beside it", single.attrs())
            ot.add_archive_stream(single.id, str(uuid.uuid4()), has_audio=True, has_video=False)
            ot.remove_archive_stream(single.id, str(uuid.uuid4()))
            expect(refusal(ot.add_archive_stream, archive.id, str(uuid.uuid4()))[0] == "RequestError", "it takes all streams")
            for layout in ("pip", "verticalPresentation", "horizontalPresentation", "bestFit"):
                ot.set_archive_layout(archive.id, layout)
            name, words = refusal(ot.set_archive_layout, archive.id, "custom", "stream {width: 50%}")
            expect(name == "ArchiveError", "a style sheet", (name, words))
            name, words = refusal(lambda: ot.start_archive(
                session, multi_archive_tag="css", layout={"type": "custom", "stylesheet": "stream {width: 50%}"}))
            expect(name == "RequestError" and "custom is not there" in words, "a style sheet from the beginning", (name, words))
            expect(refusal(ot.delete_archive, archive.id)[0] == "RequestError", "it is being recorded")
            listed = ot.list_archives(session_id=session)
            expect(listed.count == 2 and {one.id for one in listed} == {archive.id, single.id}, "the list", vars(listed))
            people = [c["id"] for c in ada.state()["connection"]]
            expect(sorted(people) == sorted([ada.id, bob.id]), "nobody sees the recorders", people)
            expect(not [e for e in ada.heard("created") if e["path"].startswith("/connection/") and e["path"][12:] not in people],
                   "nor was anybody told of them", ada.events)
            time.sleep(2.5)
            expect(ot.get_archive(archive.id).duration >= 1, "its duration while it goes on")
            for one, kind in ((archive, "video/webm"), (single, "application/zip")):
                stopped = ot.stop_archive(one.id)
                expect(stopped.status == "stopped", "it ends", stopped.attrs())
                expect(refusal(ot.stop_archive, one.id)[0] == "ArchiveError", "once")
                made = available(ot, one.id)
                with urllib.request.urlopen(made.url) as answer:
                    content = answer.read()
                    expect(answer.headers["Content-Type"] == kind, "its kind", answer.headers.items())
                expect(len(content) == made.size, "its size", (len(content), made.attrs()))
                for bad in (made.url[:-1] + ("A" if made.url[-1] != "A" else "B"), made.url.replace(one.id, "..", 1),
                            made.url.split("?")[0]):
                    try:
                        urllib.request.urlopen(bad)
                        expect(False, "another link is refused", bad)
                    except urllib.error.HTTPError as error:
                        expect(error.code == 403, "another link is forbidden", error.code)
            names = sorted(os.listdir(os.path.join(folder, KEY, archive.id)) + os.listdir(os.path.join(folder, KEY, single.id)))
            expect(names == ["archive.json", "archive.json", "archive.webm", "archive.zip"], "the files", names)
            ot.delete_archive(single.id)
            expect(refusal(ot.get_archive, single.id)[0] == "NotFoundError" and os.listdir(os.path.join(folder, KEY)) == [archive.id],
                   "it is gone with its files", os.listdir(os.path.join(folder, KEY)))
            states = [e["content"]["status"] for e in bob.events if e["path"] == f"/archive/{archive.id}"]
            expect(states == ["started", "stopped", "available"], "what clients were told", states)
        bob.wait("the callbacks", lambda: any(e["event"] == "archive" and e["id"] == archive.id and e["status"] == "available" for e in told))
        states = [e["status"] for e in told if e["event"] == "archive" and e["id"] == archive.id]
        expect(states == ["started", "stopped", "available"], "what the application was told", states)
        expect(not any("archive=" in json.dumps(e) for e in told), "not of the recorders", told)
    receiver.shutdown()


def test_opentok_hostile_clients_end_alone():
    with server() as url:
        ot = sdk(url)
        session = ot.create_session().session_id
        with join(url, ot, session) as ada:
            for data in (b"", b"\0\0\0\1", b"\xff" * 64, ot_client.frame(77), ot_client.frame(ot_client.SUBSCRIBE, ["/elsewhere"])):
                eve = ot_client.Client(http(url), ot.generate_token(session), session, join=False)
                eve.send(data)
                eve.wait("eve's end", lambda: eve.close_code == 1002)
            for method, path, content in (("create", "/stream/x", []), ("create", "/stream/x", {"id": "y", "channel": []}),
                                          ("none", "", {}), ("update", "/stream/x/channel/y", {"width": "wide"})):
                status, _ = ada.ask(method, path, content)
                expect(status in (400, 404), f"{method} {path} is refused", status)
            status, _ = ada.ask("signal", "/signal/1", {"data": "d" * 8193})
            expect(status == 413, "a signal that is too long", status)
            expect(opentok.__version__ and not ada.heard("deleted"), "ada saw nobody go")

"""The room API and webhooks, judged by the real server SDK (PyPI `livekit-api`) while real participants are in the room."""
import asyncio
import contextlib
import datetime
import json
import queue
import select
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf.json_format import Parse
from livekit import api
from livekit.protocol import models, room as rooms
import aiohttp

from harness import KEY, SECRET, expect, lk_peer, near, running_server, server

ROOM = "interop"


class Receiver:
    """A webhook receiver that verifies what it gets with the SDK. `statuses` answer the first requests."""

    def __init__(self, statuses=()):
        self.events, self.faults, self.types = [], [], set()
        self.statuses = queue.SimpleQueue()
        for status in statuses:
            self.statuses.put(status)
        self.sdk = api.WebhookReceiver(api.TokenVerifier(KEY, SECRET))
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                receiver.take(self)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/hooks"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def take(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"])).decode()
        status = 200 if self.statuses.empty() else self.statuses.get()
        if status == 200:
            try:
                self.types.add(request.headers["Content-Type"])
                self.events.append(self.sdk.receive(body, request.headers["Authorization"]))
            except Exception as fault:
                self.faults.append(repr(fault))
        request.send_response(status)
        request.send_header("Content-Length", "0")
        request.end_headers()

    def names(self, room=ROOM):
        return [event.event for event in self.events if event.room.name == room]

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def until(what, check, limit=20):
    """Asks until `check` gives something true, and returns that."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        found = check()
        if found:
            return found
        select.select([], [], [], 0.05)
    expect(False, f"{what} within {limit} s")


class Admin:
    """The SDK's room service, one blocking call at a time."""

    def __init__(self, url, key=KEY, secret=SECRET):
        self.url, self.key, self.secret = url, key, secret

    def __getattr__(self, method):
        def call(request):
            async def run():
                async with api.LiveKitAPI(self.url, self.key, self.secret) as lk:
                    return await getattr(lk.room, method)(request)
            return asyncio.run(run())
        return call

    def refusal(self, method, request):
        """The error that a call ends in, as (status, code)."""
        try:
            answer = getattr(self, method)(request)
        except api.TwirpError as error:
            return error.status, error.code
        expect(False, f"{method} is refused", str(answer))

    def people(self, room=ROOM):
        return {p.identity: p for p in self.list_participants(rooms.ListParticipantsRequest(room=room)).participants}

    def active(self, *identities, tracks=0):
        def check():
            people = self.people()
            ready = [people.get(i) for i in identities]
            return people if all(p and p.state == models.ParticipantInfo.ACTIVE and len(p.tracks) >= tracks for p in ready) else None
        return until(f"{identities} are active", check)


def events_of(result, name):
    return [event for event in result["events"] if event["e"] == name]


def test_rooms_are_made_listed_and_deleted_by_the_sdk():
    with server() as url:
        admin = Admin(url)
        made = admin.create_room(rooms.CreateRoomRequest(
            name="a", empty_timeout=60, departure_timeout=6, max_participants=2, metadata="first"))
        expect(made.sid.startswith("RM_"), "the room has a sid", made.sid)
        near(made.creation_time, time.time(), 60, "creation time")
        expect((made.empty_timeout, made.departure_timeout, made.max_participants, made.metadata) == (60, 6, 2, "first"),
               "what was asked for", str(made))
        expect(admin.create_room(rooms.CreateRoomRequest(name="a")).sid == made.sid, "the same room again")
        admin.create_room(rooms.CreateRoomRequest(name="b"))
        names = lambda *wanted: [r.name for r in admin.list_rooms(rooms.ListRoomsRequest(names=wanted)).rooms]
        expect(names() == ["a", "b"] and names("b") == ["b"] and names("c") == [], "lists with and without names", names())
        changed = admin.update_room_metadata(rooms.UpdateRoomMetadataRequest(room="a", metadata="second"))
        expect(changed.metadata == "second" and changed.sid == made.sid, "metadata", str(changed))
        admin.delete_room(rooms.DeleteRoomRequest(room="a"))
        expect(names() == ["b"], "one room is left", names())
        expect(admin.refusal("delete_room", rooms.DeleteRoomRequest(room="a")) == (404, "not_found"), "it is gone")


def test_participants_are_listed_changed_and_removed():
    with server() as url:
        admin = Admin(url)
        alice = lk_peer(url, "alice", "--tone", "440", "--video", "640x360@15", seconds=25)
        bob = lk_peer(url, "bob", "--single-pc", "0", "--tone", "880", seconds=25)
        people = admin.active("alice", "bob", tracks=1)
        until("alice has two tracks", lambda: len(admin.people()["alice"].tracks) == 2)
        person = admin.get_participant(rooms.RoomParticipantIdentity(room=ROOM, identity="alice"))
        expect(person.sid == people["alice"].sid and person.is_publisher, "alice by herself", str(person))
        expect({t.mime_type.split("/")[0] for t in person.tracks} == {"audio", "video"}, "her tracks", str(person.tracks))
        listed = admin.list_rooms(rooms.ListRoomsRequest(names=[ROOM])).rooms[0]
        expect((listed.num_participants, listed.num_publishers) == (2, 2), "two who publish", str(listed))
        changed = admin.update_participant(rooms.UpdateParticipantRequest(
            room=ROOM, identity="alice", metadata="chair", name="Alice", attributes={"hand": "up"}))
        expect((changed.metadata, changed.name, dict(changed.attributes)) == ("chair", "Alice", {"hand": "up"}),
               "the answer has the change", str(changed))
        admin.update_room_metadata(rooms.UpdateRoomMetadataRequest(room=ROOM, metadata="topic"))
        audio = next(t for t in person.tracks if t.type == models.TrackType.AUDIO)
        muted = admin.mute_published_track(
            rooms.MuteRoomTrackRequest(room=ROOM, identity="alice", track_sid=audio.sid, muted=True))
        expect(muted.track.sid == audio.sid and muted.track.muted, "the answer shows the mute", str(muted))
        unmute = rooms.MuteRoomTrackRequest(room=ROOM, identity="alice", track_sid=audio.sid, muted=False)
        expect(admin.refusal("mute_published_track", unmute) == (412, "failed_precondition"), "unmuting is refused")
        unknown = rooms.MuteRoomTrackRequest(room=ROOM, identity="alice", track_sid="TR_none", muted=True)
        expect(not admin.mute_published_track(unknown).HasField("track"), "an unknown track is no track")
        admin.remove_participant(rooms.RoomParticipantIdentity(room=ROOM, identity="alice"))
        a = alice.result()
        expect(a["disconnect_reason"] == "PARTICIPANT_REMOVED", "alice is told why", a["disconnect_reason"])
        expect({e["sid"] for e in events_of(a, "track_muted") if e["who"] == "alice"} == {audio.sid},
               "alice's client has muted itself", a["events"])
        expect(list(admin.people()) == ["bob"], "bob is left")
        admin.delete_room(rooms.DeleteRoomRequest(room=ROOM))
        b = bob.result()
        expect(b["disconnect_reason"] == "ROOM_DELETED", "bob is told why", b["disconnect_reason"])
        for name, field, wanted in (("participant_metadata_changed", "new", "chair"), ("participant_name_changed", "new", "Alice"),
                                    ("participant_attributes_changed", "changed", {"hand": "up"}), ("track_muted", "sid", audio.sid)):
            seen = [e[field] for e in events_of(b, name) if e["who"] == "alice"]
            expect(seen == [wanted], f"bob saw {name} once", seen)
        expect([e["new"] for e in events_of(b, "room_metadata_changed")] == ["topic"], "bob saw the room's metadata", b["events"])
        gone = [e["reason"] for e in events_of(b, "participant_disconnected") if e["who"] == "alice"]
        expect(gone == ["PARTICIPANT_REMOVED"], "bob saw why alice went", gone)


def test_permissions_end_and_begin_what_they_allow():
    with server() as url:
        admin = Admin(url)
        alice = lk_peer(url, "alice", "--tone", "440", seconds=14)
        bob = lk_peer(url, "bob", seconds=14)
        admin.active("alice", tracks=1)
        admin.active("bob")
        deaf = models.ParticipantPermission(can_subscribe=False, can_publish=True, can_publish_data=True)
        select.select([], [], [], 2)
        admin.update_participant(rooms.UpdateParticipantRequest(room=ROOM, identity="bob", permission=deaf))
        select.select([], [], [], 1)
        deaf.can_subscribe = True
        admin.update_participant(rooms.UpdateParticipantRequest(room=ROOM, identity="bob", permission=deaf))
        select.select([], [], [], 2)
        silent = models.ParticipantPermission(can_subscribe=True, can_publish=False)
        info = admin.update_participant(rooms.UpdateParticipantRequest(room=ROOM, identity="alice", permission=silent))
        expect(not info.permission.can_publish and len(info.tracks) == 0 and not info.is_publisher, "alice publishes nothing", str(info))
        a, b = alice.result(), bob.result()
        # Once as bob lost the permission, once as alice did.
        expect(len(events_of(b, "track_unsubscribed")) == 2, "bob lost alice's track twice", b["events"])
        expect(len([e for e in b["events"] if e["e"] == "track_subscribed"]) in (0, 2), "and got it twice", b["events"])
        expect(len(events_of(b, "track_unpublished")) == 1, "bob saw the track end", b["events"])
        expect(a["disconnect_reason"] == "CLIENT_INITIATED", "alice stayed", a["disconnect_reason"])


def test_subscriptions_are_changed_from_outside():
    """This client tells of an end by the server only when the track is there again, or when its publisher has gone."""
    with server() as url:
        admin = Admin(url)
        lk_peer(url, "alice", "--tone", "440", seconds=30)
        bob = lk_peer(url, "bob", seconds=9)
        sid = admin.active("alice", tracks=1)["alice"].tracks[0].sid
        admin.active("bob")
        for subscribe in (False, True):
            select.select([], [], [], 1.5)
            admin.update_subscriptions(
                rooms.UpdateSubscriptionsRequest(room=ROOM, identity="bob", track_sids=[sid], subscribe=subscribe))
        b = bob.result()
        seen = [(e["e"], e["sid"]) for e in b["events"] if e["e"] in ("track_subscribed", "track_unsubscribed")]
        expect(seen == [("track_subscribed", sid), ("track_unsubscribed", sid), ("track_subscribed", sid)],
               "bob lost the track and got it again", b["events"])


def test_the_sdk_is_refused_as_it_expects():
    with server() as url:
        admin = Admin(url)
        someone = rooms.RoomParticipantIdentity(room=ROOM, identity="nobody")
        listing = rooms.ListRoomsRequest()
        expect(Admin(url, secret="another-secret-of-32-characters!").refusal("list_rooms", listing) == (401, "unauthenticated"), "a bad signature")
        expect(Admin(url, key="stranger").refusal("list_rooms", listing) == (401, "unauthenticated"), "an unknown key")
        for method in ("get_participant", "remove_participant"):
            expect(admin.refusal(method, someone) == (404, "not_found"), f"{method} of nobody")
        move = rooms.MoveParticipantRequest(room=ROOM, identity="nobody", destination_room="other")
        expect(admin.refusal("move_participant", move) == (501, "unimplemented"), "moving")
        forward = rooms.ForwardParticipantRequest(room=ROOM, identity="nobody", destination_room="other")
        expect(admin.refusal("forward_participant", forward) == (501, "unimplemented"), "forwarding")
        expect(admin.people("nowhere") == {}, "nobody is nowhere")
        raw = asyncio.run(raw_calls(url.replace("ws:", "http:")))
        wanted = {"no token": (401, "unauthenticated"), "wrong grant": (401, "unauthenticated"), "foreign room": (401, "unauthenticated"),
                  "expired": (401, "unauthenticated"), "unknown method": (404, "bad_route"), "content type": (404, "bad_route"),
                  "get": (404, "bad_route"), "malformed": (400, "malformed"), "no name": (400, "invalid_argument")}
        expect(raw == wanted, "statuses and codes", raw)


async def raw_calls(url):
    token = lambda lifetime=600, **grants: api.AccessToken(KEY, SECRET).with_ttl(datetime.timedelta(seconds=lifetime)) \
        .with_grants(api.VideoGrants(**grants)).to_jwt()
    everything = token(room_create=True, room_list=True, room_admin=True, room=ROOM)
    results = {}
    async with aiohttp.ClientSession() as session:
        async def call(name, method, body="{}", jwt=everything, kind="application/json", verb="POST"):
            headers = {"Content-Type": kind, **({"Authorization": f"Bearer {jwt}"} if jwt else {})}
            async with session.request(verb, f"{url}/twirp/livekit.RoomService/{method}", data=body, headers=headers) as answer:
                results[name] = (answer.status, json.loads(await answer.text()).get("code"))
        await call("no token", "ListRooms", jwt=None)
        await call("wrong grant", "ListRooms", jwt=token(room_create=True))
        await call("foreign room", "ListParticipants", '{"room":"elsewhere"}')
        await call("expired", "ListRooms", jwt=token(lifetime=-120, room_list=True))
        await call("unknown method", "ListTables")
        await call("content type", "ListRooms", kind="text/plain")
        await call("get", "ListRooms", verb="GET", body=None)
        await call("malformed", "CreateRoom", "{]")
        await call("no name", "CreateRoom", "{}")
    return results


def test_json_answers_are_read_by_the_sdks_messages():
    async def ask(url, method, body, message):
        jwt = api.AccessToken(KEY, SECRET).with_grants(api.VideoGrants(room_create=True, room_list=True)).to_jwt()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {jwt}"}
        async with aiohttp.ClientSession() as session, session.post(
                f"{url}/twirp/livekit.RoomService/{method}", data=body, headers=headers) as answer:
            text = await answer.text()
            return json.loads(text), Parse(text, message)
    with server() as url:
        http = url.replace("ws:", "http:")
        plain, room = asyncio.run(ask(http, "CreateRoom", '{"name":"j","emptyTimeout":9}', models.Room()))
        expect(room.empty_timeout == 9 and plain["empty_timeout"] == 9, "camelCase is read, snake_case written", plain)
        expect(plain["creation_time"] == str(room.creation_time) and plain["metadata"] == "" and plain["num_publishers"] == 0,
               "int64 as strings, defaults shown", plain)
        ours = {"sid", "name", "empty_timeout", "departure_timeout", "max_participants", "creation_time", "creation_time_ms",
                "turn_password", "enabled_codecs", "metadata", "num_participants", "num_publishers", "active_recording", "version"}
        expect(set(plain) == ours == {f.name for f in models.Room.DESCRIPTOR.fields}, "every field is shown", sorted(plain))


def test_webhooks_tell_a_whole_call_and_verify():
    receiver = Receiver(statuses=[500, 503, 429])
    try:
        with server("--webhook", receiver.url) as url:
            admin = Admin(url)
            admin.create_room(rooms.CreateRoomRequest(name=ROOM, metadata="hooked"))
            alice = lk_peer(url, "alice", "--tone", "440", seconds=5).result()
            expect(alice["connected"], "alice was there", alice)
            admin.delete_room(rooms.DeleteRoomRequest(room=ROOM))
            until("room_finished", lambda: "room_finished" in receiver.names())
    finally:
        receiver.close()
    expect(not receiver.faults, "the SDK verifies every webhook", receiver.faults)
    expect(receiver.types == {"application/webhook+json"}, "content type", receiver.types)
    expect(receiver.names() == ["room_started", "participant_joined", "track_published", "track_unpublished",
                                "participant_left", "room_finished"], "order", receiver.names())
    started, joined, published, unpublished, left, finished = receiver.events
    expect(len({event.id for event in receiver.events}) == 6 and all(e.id.startswith("EV_") for e in receiver.events), "ids")
    expect(started.room.metadata == "hooked" and started.room.sid == finished.room.sid, "one room", str(started))
    expect(joined.participant.state == models.ParticipantInfo.ACTIVE and joined.room.num_participants == 1, "joined when active", str(joined))
    expect(published.track.sid == unpublished.track.sid != "" and published.participant.sid == joined.participant.sid
           and published.room.metadata == "", "tracks name room and participant only", str(published))
    expect(left.participant.disconnect_reason == models.DisconnectReason.CLIENT_INITIATED, "why alice left", str(left))
    near(finished.created_at, time.time(), 120, "created_at in seconds")


def test_a_receiver_that_was_down_gets_everything_later():
    receiver = Receiver()
    with contextlib.closing(receiver):
        port = receiver.http.server_port
        receiver.close()
        with running_server("--webhook", receiver.url) as running:
            admin = Admin(running.url)
            for index in range(20):
                admin.create_room(rooms.CreateRoomRequest(name=f"r{index}"))
                admin.delete_room(rooms.DeleteRoomRequest(room=f"r{index}"))
            back = ThreadingHTTPServer(("127.0.0.1", port), receiver.http.RequestHandlerClass)
            threading.Thread(target=back.serve_forever, daemon=True).start()
            until("40 webhooks", lambda: len(receiver.events) >= 40, limit=40)
            back.shutdown()
            back.server_close()
    expect(not receiver.faults and len({event.id for event in receiver.events}) == 40, "each once", len(receiver.events))
    for index in range(20):
        expect(receiver.names(f"r{index}") == ["room_started", "room_finished"], "in order", receiver.names(f"r{index}"))

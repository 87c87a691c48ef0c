"""WHIP and WHEP: a real browser publishes and watches by HTTP alone, beside aiortc and agents of ours."""
import os
import subprocess
import sys
import urllib.error
import urllib.request

from browser import Browser
from harness import CALLAGENT, HERE, KEY, SECRET, Child, agent, agent_track, expect, near, server

ROOM = "interop"
SIZE = {"width": 320, "height": 180, "fps": 15}
PEER = os.path.join(HERE, "peers", "aiortc_whep.py")
# Of the frames that were sent since a viewer's first one, so many are decoded.
DECODED = 0.95


def mint(identity, *options, room=ROOM):
    return subprocess.run(
        [CALLAGENT, "token", "mint", "--key", KEY, "--secret", SECRET, "--room", room, "--identity", identity, *options],
        check=True, capture_output=True, text=True).stdout.strip()


def endpoint(url, kind, *parts):
    return "/".join([url.replace("ws", "http", 1), kind, ROOM, *parts])


class Session:
    """A WHIP or WHEP session in a browser."""

    def __init__(self, browser, kind, name, url, *parts, **options):
        self.browser, self.name = browser, name
        browser.call(kind, name=name, endpoint=endpoint(url, kind, *parts), token=mint(name), **options)

    def call(self, call, **fields):
        return self.browser.call(call, name=self.name, **fields)

    def report_when(self, condition, limit=20):
        return self.browser.report_when(self.name, condition, limit)


def received(report, kind):
    return next((track for track in report["received"] if track["kind"] == kind), None)


def frames(report, kind="video"):
    track = received(report, kind)
    return ((track or {}).get("statistics") or {}).get("framesDecoded", 0)


def sent_frames(report):
    return sum(each.get("framesSent", 0) for each in report["sent"] if each["kind"] == "video")


def test_a_browser_publishes_by_whip_and_another_watches_by_whep():
    with server("--ice-server", "stun:192.0.2.1:3478") as url, Browser() as browser:
        camera = Session(browser, "whip", "camera", url, hertz=660, video=SIZE)
        viewer = Session(browser, "whep", "viewer", url)
        begun = viewer.report_when(lambda report: frames(report) > 5)
        before, first = sent_frames(camera.call("report")), frames(begun)
        seen = viewer.report_when(lambda report: frames(report) >= first + 60)
        sent = sent_frames(camera.call("report")) - before
        seen = viewer.call("report")
        decoded = frames(seen) - first
        expect(decoded >= 60 and decoded > DECODED * (sent - 2), "frames decoded of those sent", (decoded, sent))
        near(received(seen, "audio")["hertz"], 660, 13, "the viewer hears the publisher")
        expect(seen["received"][1]["sizes"].get("320x180", 0) > 40, "in the size that is sent", seen["received"][1]["sizes"])
        expect(seen["statuses"] == {"POST": 201, "PATCH": 204}, "offer and candidates are taken", seen["statuses"])
        expect(seen["link"] == '<stun:192.0.2.1:3478>; rel="ice-server"', "the STUN server is named", seen["link"])
        expect(viewer.call("restart"), "an ICE restart gives another tag")
        after = frames(viewer.call("report"))
        again = viewer.report_when(lambda report: frames(report) >= after + 20)
        expect(frames(again) >= after + 20, "pictures go on behind an ICE restart", frames(again) - after)
        camera.call("leave")
        viewer.call("leave")
        expect(not again["faults"], "nothing has failed in the page", again["faults"])


def test_an_agent_sees_who_publishes_by_whip_with_layers():
    with server() as url, Browser() as browser:
        ours = agent(url, "ours", seconds=60)
        Session(browser, "whip", "camera", url, hertz=550, video={"width": 640, "height": 360, "fps": 15}, simulcast=True)
        viewer = Session(browser, "whep", "viewer", url, "camera")
        viewer.report_when(lambda report: frames(report) > 45)
        heard = ours.stopped()
        near(agent_track(heard, "camera", "audio")["audio"]["dominantHz"], 550, 11, "we hear the publisher")
        video = agent_track(heard, "camera", "video")
        expect(video["framesDecoded"] > 20, "we see it", video)
        names = {event.get("participant") for event in heard["events"]}
        expect("camera" in names and not any("viewer" in str(name) for name in names), "viewers are an audience", sorted(map(str, names)))


def test_a_viewer_keeps_its_lines_while_publishers_change():
    with server() as url, Browser() as browser:
        viewer = Session(browser, "whep", "viewer", url)
        for number, (hertz, size) in enumerate([(440, "320x180"), (880, "160x90")]):
            ours = agent(url, f"agent-{number}", "--tone", str(hertz), "--test-card", f"{size}@15", seconds=60)
            before = frames(viewer.call("report"))
            seen = viewer.report_when(lambda report: received(report, "video") and received(report, "video")["sizes"].get(size, 0) > 30)
            expect(received(seen, "video")["sizes"].get(size, 0) > 30, f"the viewer sees agent-{number}", (before, seen["received"]))
            ours.stopped()
        expect(len(seen["received"]) == 2, "no line has come or gone", seen["received"])


def test_aiortc_watches_by_whep():
    with server() as url:
        ours = agent(url, "ours", "--tone", "440", "--test-card", "320x180@15", seconds=60)
        viewer = Child("aiortc", [
            sys.executable, PEER, "--endpoint", endpoint(url, "whep"), "--token", mint("aiortc"), "--seconds", "6"]).result()
        ours.stopped()
        expect((viewer["status"], viewer["ended"]) == (201, 200), "the session begins and ends", viewer)
        tracks = {track["kind"]: track for track in viewer["tracks"]}
        near(tracks["audio"]["dominant_hz"], 440, 9, "aiortc hears us")
        expect(tracks["video"]["frames"] > 45, "aiortc sees us", tracks["video"])


def ask(url, method, headers=None, body=None):
    request = urllib.request.Request(url, method=method, headers=headers or {}, data=body)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read().decode()


def test_whip_refusals_name_input_and_remedy():
    with server() as url:
        whip, whep = endpoint(url, "whip"), endpoint(url, "whep")
        bearer = {"Authorization": f"Bearer {mint('ann')}"}
        sdp = {**bearer, "Content-Type": "application/sdp"}
        cases = [
            ("POST", whip, {}, b"v=0", 401, "Authorization: Bearer"),
            ("POST", whip, {"Authorization": "Bearer x"}, b"v=0", 401, ""),
            ("POST", whip, {**sdp, "Authorization": f"Bearer {mint('ann', '--no-publish')}"}, b"v=0", 403, "canPublish"),
            ("POST", whep, {**sdp, "Authorization": f"Bearer {mint('ann', '--no-subscribe')}"}, b"v=0", 403, "canSubscribe"),
            ("POST", whip + "x", sdp, b"v=0", 403, "another room"),
            ("POST", whip, {**bearer, "Content-Type": "text/plain"}, b"v=0", 415, "application/sdp"),
            ("POST", whip, {**sdp, "Accept": "text/html"}, b"v=0", 406, "Accept"),
            ("POST", whip, sdp, b"hello", 400, "v=0"),
            ("POST", whip, sdp, b"x" * 200_000, 413, "131072"),
            ("POST", whip, sdp, b"v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n", 422, "sendonly"),
            ("GET", whip, bearer, None, 405, "POST"),
            ("OPTIONS", whip, {}, None, 204, ""),
            ("PATCH", whip + "/session/none", bearer, b"a=b", 404, "POST an offer"),
            ("DELETE", whip + "/session/none", {}, None, 401, "Authorization: Bearer"),
            ("POST", whip + "/more/than/there/is", sdp, b"v=0", 404, "/whip/{room}"),
        ]
        for method, target, headers, body, status, words in cases:
            seen = ask(target, method, headers, body)
            expect(seen[0] == status and words in seen[2], f"{method} is answered {status} with \"{words}\"", (seen[0], seen[2]))
        preflight = ask(whip, "OPTIONS", {
            "Origin": "https://example.com", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type"})
        expect(preflight[0] == 204 and preflight[1]["Access-Control-Allow-Origin"] == "*", "a page elsewhere may ask", preflight)

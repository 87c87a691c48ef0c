"""A TURN server that dies while media goes through it: another one takes over, the same is started again, or there is none."""
import json
import signal
import tempfile
import time

from harness import agent, agent_track, expect, near, server
from relay import CREDENTIAL, USER, Coturn, coturn

SECONDS = 24
CALM = 9  # seconds before anything breaks


def kill(turn):
    """At once: nobody hears a goodbye."""
    turn.process.send_signal(signal.SIGKILL)
    turn.process.wait()


def joins(url, identity, hertz, *arguments, seconds=SECONDS):
    return agent(url, identity, "--tone", hertz, "--test-card", "320x180@15", *arguments, seconds=seconds)


def check_over(result, sender, hertz, longest):
    """Media of the other one came before and after; pictures stood still for `longest` seconds at the most."""
    near(agent_track(result, sender, "audio")["audio"]["dominantHz"], hertz, 15, f"{sender} is heard")
    video = agent_track(result, sender, "video")
    expect(video["framesDecoded"] > (SECONDS - 5 - longest) * 15 * 0.8, f"{sender} is seen before and after", video)
    expect(set(result["reasons"]) <= {"frozen", "concealed", "framesMissing", "late"}, "nothing but what was on its way then", result["failures"])
    gone = [event for event in result["events"] if event["event"] == "participantLeft" and event["ms"] < (SECONDS - 3) * 1000]
    expect(not gone, "nobody went", result["events"])
    return video


def under_a_call(servers, breaks, longest):
    """Ours, which may use relays alone, with one beside the server; `breaks` is called in the middle."""
    with server("--tcp-port", "off") as url:
        wishes = [word for turn in servers for word in ("--ice-server", f"{turn},{USER},{CREDENTIAL}")]
        ours, beside = joins(url, "ours", "440", "--force-relay", *wishes), joins(url, "beside", "880")
        time.sleep(CALM)
        breaks()
        o, b = ours.result(code=(0, 1)), beside.result(code=(0, 1))
    own = o["participants"][0]
    expect(own["localCandidateType"] == "relay", "through a relay to the end", own)
    print(f"     {check_over(o, 'beside', 880, longest)}\n     {check_over(b, 'ours', 440, longest)}\n     {o['events']}", flush=True)
    return o, b


def test_another_relay_takes_over_where_one_dies():
    with coturn() as first, coturn() as second:
        o, _ = under_a_call(
            [f"turn:127.0.0.1:{first.port}", f"turn:127.0.0.1:{second.port}?transport=tcp"], lambda: kill(first), 3)
        second.stop()
        received, sent = second.usage()
        expect(received > 50_000 and sent > 50_000, "the second has carried the rest", (received, sent))
    modes = [event for event in o["events"] if event["event"].startswith("reconnect")]
    expect(not modes, "nobody had to be told", modes)


def restarted(scheme):
    """The same address and port, with nothing remembered."""
    with tempfile.TemporaryDirectory() as folder, coturn() as turn:
        again = []

        def restart():
            kill(turn)
            again.append(Coturn(folder, port=turn.port))
            again[0].wait_until_ready()
        try:
            o, _ = under_a_call([scheme.format(turn.port)], restart, 4)
        finally:
            for running in again:
                running.stop()
        received, sent = again[0].usage()
        expect(received > 50_000 and sent > 50_000, "the new allocation has carried the rest", (received, sent))


def test_a_relay_that_is_started_again_is_asked_anew():
    restarted("turn:127.0.0.1:{}")


def test_a_relay_over_tcp_that_is_started_again_is_asked_anew():
    restarted("turn:127.0.0.1:{}?transport=tcp")


def test_a_call_whose_only_relay_dies_ends_and_says_so():
    with coturn() as turn, server("--tcp-port", "off") as url:
        name = f"turn:127.0.0.1:{turn.port}?transport=tcp"
        ours = joins(url, "ours", "440", "--force-relay", "--ice-server", f"{name},{USER},{CREDENTIAL}", seconds=150)
        time.sleep(CALM)
        kill(turn)
        o = ours.result(limit=160, code=1)
    print(f"     {o['ended']}\n     {o['events']}", flush=True)
    expect(any(event["event"] == "reconnecting" for event in o["events"]), "it was tried to get it back", o["events"])
    expect(o["connectMs"] is not None and name in json.dumps(o["ended"]), "the end names the relay", o["ended"])

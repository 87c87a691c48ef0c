#!/usr/bin/env python3
"""Tests of the built callagent: with real peers that this project did not write, against strangers, and whole calls.

`run.py [WORD ...]` runs the tests whose names contain a WORD; `--within SECONDS` begins none after that. CALLAGENT names another binary than .build/release/callagent.
The call between network namespaces needs root; CALLBRIDGE_NO_NETNS=1 leaves it out where that can't be had.
"""
import sys

import archives
import budget
import c_library
import calls
import chromium
import command_line
import data
import dual_stack
import e2ee
import greeting
import hostile
import ice_tcp
import indicator
import journals
import livekit_features
import livekit_layers
import load_limits
import load_runs
import load_starved
import moving
import nat
import netem
import networks
import notifications
import openapi
import opentok_rest
import pages
import pulse
import push
import recording
import recovery
import recovery_paths
import relay
import relay_loss
import reports
import results
import ringing
import rooms_api
import story
import turn_only
import whip
from harness import agent, agent_track, expect, lk_peer, near, remote_track, run, server

FULL_RATE = 0.9  # share of the nominal frame rate that counts as full; the first second is start-up


def check_heard(result, sender, hertz):
    track = remote_track(result, sender, "audio")
    near(track["dominant_hz"], hertz, hertz * 0.02, f"{result['identity']} hears {sender}")
    expect(track["sounding_frames"] > 200, f"{result['identity']} hears {sender} for 2 s", track)
    expect(track["tone_purity"] > 0.8, f"{sender}'s tone arrives undamaged", track)


def check_seen(result, sender, size, fps):
    track = remote_track(result, sender, "video")
    expect(track["sizes"].get(size, 0) > 60, f"{result['identity']} sees {sender} in {size}", track)
    expect(track["fps"] >= fps * FULL_RATE, f"{result['identity']} sees {sender} at full rate", track)
    expect(track["moving_frames"] > 40, f"{sender}'s picture moves", track)
    expect(track["first_frame_ms"] < 4000, f"{sender}'s first frame within 4 s", track)
    return track


def two_real_peers(first_mode, second_mode):
    with server() as url:
        alice = lk_peer(url, "alice", "--single-pc", first_mode, "--tone", "440", "--video", "640x360@15", seconds=9)
        bob = lk_peer(url, "bob", "--single-pc", second_mode, "--tone", "880", "--video", "640x360@15", seconds=9)
        a, b = alice.result(), bob.result()
        check_heard(a, "bob", 880)
        check_heard(b, "alice", 440)
        for result, sender in ((a, "bob"), (b, "alice")):
            track = check_seen(result, sender, "640x360", 15)
            # Its encoder leaves frames out when the machine is busy; lost ones would come in their dozens.
            expect(track["skipped_indices"] <= 10, f"{sender}'s frames arrive without gaps", track)
            expect(result["active_speaker_events"] > 0, f"{result['identity']} got speaker events", result["event_counts"])


def test_two_real_peers_single_connection():
    two_real_peers("1", "1")


def test_two_real_peers_two_connections():
    two_real_peers("0", "0")


def test_two_real_peers_of_different_modes():
    two_real_peers("1", "0")


def agent_meets_real_peer(mode, *options):
    with server(*options) as url:
        real = lk_peer(url, "real", "--single-pc", mode, "--tone", "880", "--video", "640x360@15", seconds=12)
        ours = agent(url, "ours", "--tone", "440", "--test-card", "640x360@30", seconds=9)
        o, r = ours.result(), real.result()
        check_heard(r, "ours", 440)
        check_seen(r, "ours", "640x360", 30)
        expect(r["active_speaker_events"] > 0, "the real peer got speaker events", r["event_counts"])
        audio, video = agent_track(o, "real", "audio"), agent_track(o, "real", "video")
        near(audio["audio"]["dominantHz"], 880, 15, "ours hears real")
        expect(video["framesDecoded"] > 15 * 5, "ours decodes real's video", video)
        expect(video["framesDecoded"] >= (9 - 3) * 15 * FULL_RATE, "at full rate", video)
        expect(video["firstFrameMs"] is not None and video["firstFrameMs"] < 4000, "first frame time is reported", video)
        expect(o["activeSpeaker"]["switches"] >= 1, "ours saw an active speaker", o["activeSpeaker"])


def test_agent_meets_real_peer_single_connection():
    agent_meets_real_peer("1")


def test_agent_meets_real_peer_two_connections():
    agent_meets_real_peer("0")


def test_agent_meets_real_peer_with_libsrtp2_on_the_server():
    agent_meets_real_peer("1", "--srtp", "libsrtp2")


def test_mute_reaches_the_agent():
    with server() as url:
        real = lk_peer(url, "real", "--tone", "880", "--no-dtx", "--at", "4:mute:audio", seconds=10)
        ours = agent(url, "ours", "--tone", "440", seconds=8)
        o, r = ours.result(), real.result()
        heard = remote_track(r, "ours", "audio")
        near(heard["dominant_hz"], 440, 9, "real hears ours although it is muted itself")
        muted = [event for event in o["events"] if event["event"] == "trackMuted" and event["participant"] == "real"]
        expect(muted, "ours was told of the mute", o["events"])


def test_real_peer_leaves_and_comes_back():
    with server() as url:
        ours = agent(url, "ours", "--tone", "440", seconds=90)
        first = lk_peer(url, "real", "--tone", "880", seconds=3).result()
        second = lk_peer(url, "real", "--tone", "660", seconds=4).result()
        check = remote_track(second, "ours", "audio")
        near(check["dominant_hz"], 440, 9, "the returning peer hears ours")
        expect(first["disconnect_reason"] == "CLIENT_INITIATED", "the first visit ended in order", first["disconnect_reason"])
        o = ours.stopped()
        joins = [e for e in o["events"] if e["event"] == "participantJoined" and e["participant"] == "real"]
        leaves = [e for e in o["events"] if e["event"] == "participantLeft" and e["participant"] == "real"]
        expect(len(joins) == 2 and len(leaves) == 2, "ours saw real come and go twice", o["events"])


def test_same_identity_replaces_the_older_one():
    with server() as url:
        older = lk_peer(url, "twin", "--tone", "440", seconds=12)
        watcher = lk_peer(url, "watcher", seconds=5).result()
        expect(watcher["connected"], "the watcher joined", watcher)
        newer = lk_peer(url, "twin", "--tone", "880", seconds=3)
        o = older.result(code=0)
        expect(o["disconnect_reason"] == "DUPLICATE_IDENTITY", "the older twin is told why", o["disconnect_reason"])
        expect(newer.result()["disconnect_reason"] == "CLIENT_INITIATED", "the newer one stays")


def test_wrong_secret_is_refused():
    with server() as url:
        refused = lk_peer(url, "eve", seconds=3, secret="not-the-secret-of-this-server-at-all").result(code=2)
        expect("401" in str(refused.get("error", "")) + str(refused), "the refusal says 401", refused)


def tests_of(module):
    return [value for name, value in vars(module).items() if name.startswith("test_")]


if __name__ == "__main__":
    light = [
        sys.modules[__name__], livekit_features, data, dual_stack, recording, recovery, recovery_paths, relay, relay_loss, reports, results,
        rooms_api, command_line, e2ee, c_library, greeting, ice_tcp, indicator, journals, load_limits, load_runs, moving, nat, netem, networks,
        notifications, openapi, opentok_rest, push, ringing, story, turn_only]
    # These judge what arrives by the clock, and wait more than they compute: two at a time.
    middle = [whip, pages, hostile, pulse]
    # These encode much, a browser too.
    heavy = [livekit_layers, archives, budget, calls, chromium, load_starved]
    sys.exit(run([[tests_of(module) for module in modules] for modules in (light, middle, heavy)]))

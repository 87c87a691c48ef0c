"""libcallbridge.so from C and from Python: both see and hear one of our agents, which sees and hears them.

Scripts/c-library builds it; CALLBRIDGE_C_FOLDER names another folder than .build/c. Without it these tests are left out.
"""
import os
import re
import subprocess
import sys

from livekit import api

from harness import KEY, ROOT, SECRET, Child, LeftOut, agent, agent_track, expect, near, server, session_agent
from opentok import MediaModes
from opentok_rest import http, sdk

FOLDER = os.environ.get("CALLBRIDGE_C_FOLDER", os.path.join(ROOT, ".build", "c"))
LIBRARY = os.path.join(FOLDER, "libcallbridge.so")


def token(identity):
    return api.AccessToken(KEY, SECRET).with_identity(identity).with_grants(api.VideoGrants(room_join=True, room="interop")).to_jwt()


def needs_library():
    if not all(os.path.exists(os.path.join(FOLDER, name)) for name in ("libcallbridge.so", "watch", "talk")):
        raise LeftOut("libcallbridge.so is not built; run Scripts/c-library")


def judge(watcher, ours, hertz):
    seen = watcher.result()
    report = ours.stopped()
    expect(seen["from"] == "ours" and seen["pictures"] >= 30 and (seen["width"], seen["height"]) == (320, 180), "it sees our agent", seen)
    expect(seen["loudest"] > 0.01, "it hears our agent", seen)
    expect(seen["threads"] == 1, "callbacks come on one thread", seen)
    expect(agent_track(report, "watcher", "video")["framesDecoded"] > 10, "our agent sees it", report)
    near(agent_track(report, "watcher", "audio")["audio"]["dominantHz"], hertz, 15, "our agent hears it")
    return seen


def watches(command, hertz):
    needs_library()
    with server() as url:
        ours = agent(url, "ours", "--tone", "660", "--test-card", "320x180@15", seconds=90)
        return judge(Child("watcher", [*command, url, token("watcher"), "30"]), ours, hertz)


def test_c_watches_an_agent():
    seen = watches([os.path.join(FOLDER, "watch")], 440)
    expect(seen["refused"], "what makes no sense is refused", seen)


def test_c_watches_an_agent_in_a_session():
    needs_library()
    with server() as url:
        ot = sdk(url)
        session = ot.create_session(media_mode=MediaModes.routed).session_id
        ours = session_agent(url, session, "ours", "--tone", "660", "--test-card", "320x180@15", seconds=90)
        token = ot.generate_token(session, data="watcher")
        judge(Child("watcher", [os.path.join(FOLDER, "watch"), http(url), token, "30", session]), ours, 440)


def test_c_is_told_what_is_wrong():
    needs_library()
    with server() as url:
        refused = subprocess.run([os.path.join(FOLDER, "watch"), url, "no-token", "1"], capture_output=True, text=True, timeout=60)
        expect(refused.returncode == 1 and "error 5" in refused.stderr, "a wrong token is refused", refused.stderr)
    nobody = subprocess.run([os.path.join(FOLDER, "watch"), "ws://127.0.0.1:1", "t", "1"], capture_output=True, text=True, timeout=60)
    expect(nobody.returncode == 1 and "error 4" in nobody.stderr, "nobody answers", nobody.stderr)
    nothing = subprocess.run([os.path.join(FOLDER, "watch"), "", "t", "1"], capture_output=True, text=True, timeout=60)
    expect(nothing.returncode == 1 and "error 1" in nothing.stderr and "url" in nothing.stderr, "an argument is named", nothing.stderr)


def test_python_watches_an_agent():
    seen = watches([sys.executable, os.path.join(ROOT, "Examples", "Python", "watch.py"), LIBRARY], 880)
    expect("ours" in seen["met"] and seen["again"] == 2, "who was met; a handle that was destroyed", seen)


def test_c_and_python_talk():
    """A visitor in C and an agent in Python: messages both ways, a call that is rung, data in it, and the end."""
    needs_library()
    with server() as url:
        def person(identity, role):
            token = api.AccessToken(KEY, SECRET).with_identity(identity).with_attributes({"role": role}).to_jwt()
            return [http(url), KEY, SECRET, token, identity]
        python = [sys.executable, os.path.join(ROOT, "Examples", "Python", "talk.py"), LIBRARY]
        agent = Child("agent", [*python, *person("ada", "agent"), "Good day."])
        visitor = Child("visitor", [os.path.join(FOLDER, "talk"), *person("vera", "visitor"), "Good morning."])
        ours, theirs = visitor.result(90), agent.result(90)
    expect((theirs["author"], theirs["asked"]) == ("vera", "Good morning."), "the agent reads", theirs)
    expect((ours["author"], ours["answer"]) == ("ada", "Good day."), "the visitor reads", ours)
    expect(ours["conversation"] == theirs["conversation"], "of one conversation", (ours, theirs))
    expect(ours["caller"] == "ada" and ours["ring"] == theirs["ring"] == 1 and theirs["met"] == "vera", "the call that rang connects them", (ours, theirs))
    expect((ours["word"], theirs["word"]) == ("over to you", "over"), "data goes both ways", (ours, theirs))
    expect(ours["refused"] and theirs["again"] == 2, "handles that were destroyed are refused", (ours, theirs))
    expect(ours["threads"] == 1 and theirs["threads"] == 1, "callbacks come on one thread", (ours, theirs))


def test_the_library_exports_its_header():
    needs_library()
    listed = subprocess.run(["nm", "-D", "-g", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    names = {line.split()[2] for line in listed.splitlines() if line.split()[1] != "A"}
    include = os.path.join(ROOT, "include")
    versions = re.findall(r"^(CALLBRIDGE_[0-9.]+) \{(.*?)^\}", open(os.path.join(include, "callbridge.map")).read(), re.MULTILINE | re.DOTALL)
    listed = {name: version for version, body in versions for name in re.findall(r"callbridge_[a-z_]+", body)}
    expect(names == {f"{name}@@{version}" for name, version in listed.items()}, "those symbols and no others", sorted(names)[:40])
    header = open(os.path.join(include, "callbridge.h")).read()
    declared = set(re.findall(r"^[a-z].*?\b(callbridge_[a-z_]+)\(", header, re.MULTILINE))
    expect(declared == set(listed), "each of them is declared", sorted(declared ^ set(listed)))

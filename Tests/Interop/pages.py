"""The pages of `serve --dashboard` in a real browser: what they show, what they send, and how they look on a screen and a phone."""
import os
import subprocess

from devtools import Page
from harness import CALLAGENT, HERE, KEY, SECRET, agent, agent_track, expect, near, server
from whip import mint

EVIL = "<script>document.title='run'</script>"


def administrator():
    return subprocess.run(
        [CALLAGENT, "token", "mint", "--key", KEY, "--secret", SECRET, "--admin"], check=True, capture_output=True, text=True
    ).stdout.strip()


def page(url, path):
    return url.replace("ws", "http", 1) + path


def sign_in(browser, token, form="login"):
    browser.fill("token", token)
    browser.submit(form)


def check_screens(browser, name, ready="true"):
    for screen in ("desktop", "phone"):
        browser.screen(screen)
        browser.until(ready, f"{name} is drawn on a {screen}")
        expect(browser.overflow() <= 0, f"{name} fits a {screen}", browser.overflow())
        browser.picture(f"{name}-{screen}")


def test_the_dashboard_shows_rooms_live():
    with server("--dashboard") as url, Page(page(url, "/dashboard")) as browser:
        people = [
            agent(url, "ann", "--tone", "440", "--test-card", "640x360@15", "--simulcast", room="standup", seconds=60),
            agent(url, "bob", "--tone", "660", "--test-card", "320x180@15", room="standup", seconds=60),
            agent(url, EVIL, "--tone", "880", room="workshop", seconds=60)]
        sign_in(browser, "this is no token")
        browser.until("!document.getElementById('notice').hidden", "a refusal is shown")
        sign_in(browser, mint("ann"))
        browser.until("/administrator/.test(document.getElementById('notice').textContent)", "whose token is needed is said")
        sign_in(browser, administrator())
        browser.until("document.querySelectorAll('article').length === 3", "three people are shown")
        browser.until("/Mbit|[1-9]\\d* kbit/.test(document.querySelector('article table').innerText)", "with their bitrates")
        browser.until("document.querySelectorAll('.speaking').length > 0", "and who speaks")
        browser.until("document.querySelectorAll('#journal b').length > 2", "the journal is there")
        text = browser.text()
        expect(EVIL in text, "a name is text", text[:600])
        expect(browser.evaluate("document.title") == "Rooms", "and nothing else", browser.evaluate("document.title"))
        expect(browser.evaluate("!location.href.includes('eyJ') && sessionStorage.length === 1"), "the token is in no URL")
        rated = "[...document.querySelectorAll('article')].every(each => /\\b100\\b/.test(each.querySelector('table').innerText))"
        check_screens(browser, "dashboard", f"document.querySelectorAll('.speaking').length > 1 && {rated}")
        for each in people:
            each.stopped()
        browser.until("document.querySelectorAll('article').length === 0", "nobody is left")


def test_a_browser_joins_from_the_join_page():
    with server("--dashboard") as url, Page(page(url, "/join")) as browser:
        ours = agent(url, "ours", "--tone", "550", "--test-card", "640x360@15", seconds=90)
        sign_in(browser, "no.token.at-all", "join")
        browser.until("/no access token/.test(document.getElementById('notice').textContent)", "a wrong token is said")
        browser.screen("desktop")
        sign_in(browser, mint("guest", "--name", "Guest"), "join")
        browser.until("document.querySelectorAll('video').length === 2", "the guest sees itself and another one", 30)
        seen = "[...document.querySelectorAll('video')].every(video => video.videoWidth === 640 && video.currentTime > 2)"
        browser.until(seen, "pictures of both move", 30)
        expect(browser.evaluate("!location.href.includes('eyJ')"), "the token is in no URL")
        check_screens(browser, "join", seen)
        browser.evaluate("document.getElementById('leave').click()")
        browser.until("document.querySelectorAll('video').length === 0", "it has left")
        heard = ours.stopped()
        near(agent_track(heard, "guest", "audio")["audio"]["dominantHz"], 440, 9, "we hear the browser")
        expect(agent_track(heard, "guest", "video")["framesDecoded"] > 30, "and see it", heard["tracks"])


def test_the_join_page_uses_livekits_client_where_there_is_one():
    """A stand-in for its file: the real one is the user's to supply."""
    stub = os.path.join(HERE, "peers", "browser", "livekit-stub.js")
    with server("--dashboard", "--livekit-client", stub) as url, Page(page(url, "/join")) as browser:
        browser.until("!document.querySelector('option[value=livekit]').disabled", "the page offers it")
        browser.fill("way", "livekit")
        token = mint("guest")
        sign_in(browser, token, "join")
        browser.until("document.querySelectorAll('video').length === 1", "the guest sees itself")
        asked = browser.evaluate("({...asked})")
        expect((asked["url"], asked["token"]) == (url, token), "it connects where it should", asked)
        expect(sorted(asked["tracks"]) == ["audio", "video"], "and publishes both", asked)
        browser.evaluate(
            "asked.subscribed({mediaStreamTrack: document.querySelector('video').srcObject.getVideoTracks()[0].clone()}, null, "
            "{identity: 'other', name: '<b>other</b>'})")
        browser.until("document.querySelectorAll('video').length === 2", "somebody else is shown")
        expect("<b>other</b>" in browser.text(), "by name", browser.text())
        browser.evaluate("document.getElementById('leave').click()")
        browser.until("asked.ended && document.querySelectorAll('video').length === 0", "it has left")

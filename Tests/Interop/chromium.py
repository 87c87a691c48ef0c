"""A real browser, Chromium: sound, pictures, data, end-to-end encryption, and whether its bandwidth probes tell it anything."""
import concurrent.futures
import subprocess

from browser import Browser
from harness import CALLAGENT, KEY, SECRET, agent, agent_track, expect, near, server

ROOM = "interop"
PASSPHRASE = "correct horse battery staple"
SIZE = {"width": 640, "height": 360, "fps": 15}
DENSE = {"width": 320, "height": 180, "fps": 30}
# Pictures are watched for so long after the first one, and may stand still for so long meanwhile; milliseconds.
WATCHED, STANDING = 5000, 1000


class Visitor:
    """A participant in a browser."""

    def __init__(self, browser, url, name, single=True, **options):
        self.browser, self.name = browser, name
        token = subprocess.run(
            [CALLAGENT, "token", "mint", "--key", KEY, "--secret", SECRET, "--room", ROOM, "--identity", name],
            check=True, capture_output=True, text=True).stdout.strip()
        self("join", url=url, token=token, single=single, **options)

    def __call__(self, call, **fields):
        return self.browser.call(call, name=self.name, **fields)

    def report_when(self, condition):
        return self.browser.report_when(self.name, condition)


def track(report, sender, kind):
    """What a visitor has received of one kind from one participant; None as long as there is no such track."""
    return next((t for t in report["received"] if (t["from"], t["kind"]) == (sender, kind)), None)


def watched(report, sender, span=WATCHED):
    """Whether a visitor has seen somebody for long enough."""
    video = track(report, sender, "video")
    return bool(video and video["pictures"]) and video["pictures"][-1] - video["pictures"][0] >= span


def check_flow(report, sender, size=SIZE):
    """The first picture comes soon, and none stands still."""
    video = track(report, sender, "video")
    expect(video and video["pictures"], f"the browser sees {sender}", report)
    times = [time for time in video["pictures"] if time <= video["pictures"][0] + WATCHED]
    gap = max(later - earlier for earlier, later in zip(times, times[1:]))
    expect(times[0] < 3000, f"{sender}'s first picture comes soon", times[:5])
    expect(gap <= STANDING, f"no picture of {sender} stands still for a second at {report['name']}", (gap, times))
    expect(len(times) > WATCHED / 1000 * size["fps"] * 0.4, f"most pictures of {sender} are decoded", len(times))


def browser_and_agent(single):
    with server() as url, Browser() as browser:
        guest = Visitor(browser, url, "guest", single)
        guest("publish", hertz=660, video=SIZE)
        ours = agent(
            url, "ours", *([] if single else ["--two-connections"]), "--tone", "440", "--test-card", "640x360@15", "--data", "hello",
            "--data-count", "5", "--data-interval", "0.1", "--data-topic", "greetings", "--data-wait", "guest", seconds=60)
        guest.report_when(lambda report: watched(report, "ours", 1000) and len(report["messages"]) == 5)
        guest("say", payload="from the browser", topic="t")
        seen = guest.report_when(lambda report: watched(report, "ours"))
        heard = ours.stopped()
        check_flow(seen, "ours")
        expect(track(seen, "ours", "video")["sizes"].get("640x360", 0) > 40, "in the size that it is sent in", seen["received"])
        sound = track(seen, "ours", "audio")
        near(sound and sound["hertz"], 440, 9, "the browser hears us")
        expect(sound["seconds"] > 2, "for more than 2 s", sound)
        got = [(message["from"], message["topic"], message["text"]) for message in seen["messages"]]
        expect(got == [("ours", "greetings", f"hello#{n}") for n in range(5)], "it gets our messages", got)
        near(agent_track(heard, "guest", "audio")["audio"]["dominantHz"], 660, 13, "we hear the browser")
        video = agent_track(heard, "guest", "video")
        expect(video["framesDecoded"] > 40 and video["packetsLost"] == 0, "we see it", video)
        got = [(message["from"], message["text"]) for message in heard["data"]["received"]]
        expect(got == [("guest", "from the browser")], "and get its message", got)
        expect(not seen["faults"], "nothing has failed in the page", seen["faults"])


def test_a_browser_and_an_agent_meet_single_connection():
    browser_and_agent(True)


def test_a_browser_and_an_agent_meet_two_connections():
    browser_and_agent(False)


def test_a_browser_sees_encrypted_pictures_flow_from_the_first_one_on():
    with server() as url, Browser() as browser:
        guest = Visitor(browser, url, "guest", key=PASSPHRASE)
        guest("publish", hertz=660, video=DENSE)
        ours = agent(
            url, "ours", "--tone", "440", "--test-card", "320x180@30", "--e2ee-key", PASSPHRASE, seconds=60)
        guest.report_when(lambda report: watched(report, "ours", 1000))

        # Who comes later makes ready to decrypt while pictures already flow, here slowly, and must not miss one at that moment.
        def come(delay):
            return Visitor(browser, url, f"ready after {delay}", key=PASSPHRASE, readyAfter=delay)

        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            late = list(pool.map(come, (50, 200, 400)))
        reports = [each.report_when(lambda report: watched(report, "guest") and watched(report, "ours")) for each in late]
        heard = ours.stopped()
        for report in reports:
            check_flow(report, "ours", DENSE)
            check_flow(report, "guest", DENSE)
            near(track(report, "ours", "audio")["hertz"], 440, 9, "the browser hears us")
            near(track(report, "guest", "audio")["hertz"], 660, 13, "and the other browser")
            expect(report["cryptor"]["failed"] == 0, "every frame can be decrypted", report["cryptor"])
        near(agent_track(heard, "guest", "audio")["audio"]["dominantHz"], 660, 13, "we hear it")
        video = agent_track(heard, "guest", "video")
        expect(video["framesDecoded"] > 60, "and see it", video)


def test_the_probes_of_a_browser_measure_something():
    with server() as url, Browser("--enable-logging=stderr", "--vmodule=*probe_bitrate_estimator*=3") as browser:
        guest = Visitor(browser, url, "guest")
        guest("publish", video={"width": 1280, "height": 720})
        # Without probes it begins with 300 kbit/s and needs half a minute.
        seen = guest.report_when(lambda report: report["estimate"] > 1_000_000)
        expect(seen["estimate"] > 1_000_000, "the browser learns what the way takes", seen["estimate"])
        browser.log.seek(0)
        void = [line for line in browser.log if "receive interval: 0 us" in line]
        expect(not void, "no probe is void", void)

"""What a load test leaves behind, read by software that this project did not write: JSON Schema, JUnit, HTML in a browser."""
import contextlib
import functools
import html.parser
import http.server
import json
import os
import re
import struct
import subprocess
import tempfile
import threading
import urllib.request
import xml.etree.ElementTree
import zlib

import jsonschema
import junitparser
import prometheus_client.parser
import referencing

from browser import FLAGS, find_browser
from harness import CALLAGENT, ROOT, agent, expect, free_port, running_server

VECTORS = os.path.join(ROOT, "Tests", "Vectors", "load-results")
RUN, LINES = os.path.join(VECTORS, "run.json"), os.path.join(VECTORS, "seconds.jsonl")
SCHEMAS = ("load-results.json", "load-metrics.json")
# Phone, desktop, and what A4 leaves between its margins at 96 dots an inch.
WIDTHS = (360, 390, 718, 1280)


def callagent(*arguments, code=0):
    ran = subprocess.run([CALLAGENT, *arguments], capture_output=True, text=True, timeout=60)
    expect(ran.returncode == code, f"callagent {arguments[0]} exits with {code}", (ran.returncode, ran.stderr))
    return ran.stdout


def strict(schema):
    """The same schema, and what it does not name is wrong."""
    if isinstance(schema, dict):
        found = {key: strict(value) for key, value in schema.items()}
        return {**found, "additionalProperties": False} if "properties" in schema else found
    return [strict(each) for each in schema] if isinstance(schema, list) else schema


def validators():
    schemas = {}
    for name in SCHEMAS:
        with open(os.path.join(ROOT, "docs", "schema", name)) as file:
            schemas[name] = strict(json.load(file))
    resources = [(name, referencing.Resource.from_contents(schema)) for name, schema in schemas.items()]
    registry = referencing.Registry().with_resources(resources)
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    return [jsonschema.Draft202012Validator(schemas[name], registry=registry) for name in SCHEMAS]


def check_results(results):
    """For other tests, too: whether results keep to the published schema."""
    faults = [f"{error.json_path}: {error.message[:200]}" for error in validators()[0].iter_errors(results)]
    expect(not faults, "results keep to the schema", faults[:5])


def test_results_keep_to_their_schemas():
    with open(RUN) as file:
        check_results(json.load(file))
    lines = validators()[1]
    with open(LINES) as file:
        for line in file:
            faults = [error.message for error in lines.iter_errors(json.loads(line))]
            expect(not faults, "each line keeps to the schema", faults[:5])


def test_histograms_have_the_percentiles_that_they_say():
    with open(RUN) as file:
        histograms = json.load(file)["histograms"]
    for name, histogram in histograms.items():
        total = sum(count for _, count in histogram["buckets"])
        expect(total == histogram["count"], f"{name}: the buckets hold all times", histogram)
        reached = 0
        for value, count in histogram["buckets"]:
            reached += count
            if reached >= total / 2:
                break
        expect(value <= histogram["p50Ms"] * 1000 <= value * 1.001 + 1, f"{name}: the median", (value, histogram["p50Ms"]))


def test_verdicts_are_read_as_junit():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "verdicts.xml")
        out = callagent("report", RUN, "--junit", path, "--assert", "join.p95<1s", "--assert", "join.p50<1us", code=1)
        expect("join.p50 is" in out and "wanted: < 0.001 ms" in out, "the verdict is said", out)
        xml.etree.ElementTree.parse(path)
        suites = junitparser.JUnitXml.fromfile(path)
        suite = next(iter(suites))
        expect((suite.tests, suite.failures, suite.errors) == (4, 3, 0), "its counts", (suite.tests, suite.failures))
        failed = {case.name: case.result[0].message for case in suite if case.result}
        expect(set(failed) == {"the run is whole", "the tester was not the bottleneck", "join.p50<1us"}, "which failed", failed)
        expect("interrupted: SIGINT" in failed["the run is whole"], "and why", failed)


def test_a_run_is_compared_with_its_baseline():
    expect("the same as the baseline" in callagent("compare", RUN, RUN), "with itself it is the same")
    with open(RUN) as file:
        slower = json.load(file)
    join = slower["histograms"]["join"]
    join["buckets"], join["maximum"] = [[1_000_448, join["count"]]], 1_000_448
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "slower.json")
        with open(path, "w") as file:
            json.dump(slower, file)
        compared = json.loads(callagent("compare", RUN, path, "--json", code=1))
        rows = {row["metric"]: row for row in compared["rows"]}
        expect(compared["verdict"] == "worse" and rows["join.p95"]["verdict"] == "worse", "slower joins are worse", rows["join.p95"])
        expect(any("bottleneck" in each for each in compared["warnings"]), "the tester's fault is said", compared["warnings"])
        expect("better" in callagent("compare", path, RUN), "the other way around it is better")


class Files(http.server.SimpleHTTPRequestHandler):
    """A folder's files, without a word."""

    def log_message(self, *arguments):
        pass


class Structure(html.parser.HTMLParser):
    """Whether elements are closed in the order of their opening."""

    def __init__(self, text):
        super().__init__()
        self.open, self.faults = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append((tag, self.getpos()))


@contextlib.contextmanager
def report(*arguments):
    """A folder with report.html in it."""
    with tempfile.TemporaryDirectory(prefix="callbridge-report-") as folder:
        callagent("report", RUN, "-o", os.path.join(folder, "report.html"), *arguments)
        yield folder


def chromium(folder, *arguments):
    # Whatever the page might want from a network, it would not get.
    flags = (*FLAGS, f"--user-data-dir={folder}/profile", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
    return subprocess.run(
        [find_browser(), *flags, *arguments], capture_output=True, text=True, timeout=120,
        env={**os.environ, "TMPDIR": folder}).stdout


def pixels(path):
    """Width, height and the set of colours of an 8-bit PNG."""
    with open(path, "rb") as file:
        data = file.read()
    width, height, _, colour = struct.unpack(">IIBB", data[16:26])
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    size = {2: 3, 6: 4}[colour]
    rows, line, colours = zlib.decompress(packed), bytearray(width * size), set()
    for y in range(height):
        start = y * (width * size + 1)
        line = unfiltered(rows[start], bytearray(rows[start + 1:start + 1 + width * size]), line, size)
        colours.update(bytes(line[x:x + 3]) for x in range(0, len(line), size * 5))
    return width, height, colours


def unfiltered(kind, line, above, size):
    """One row of a PNG (section 9.2)."""
    for x in range(len(line)):
        left, up, corner = (line[x - size], above[x], above[x - size]) if x >= size else (0, above[x], 0)
        if kind == 1:
            line[x] = line[x] + left & 255
        elif kind == 2:
            line[x] = line[x] + up & 255
        elif kind == 3:
            line[x] = line[x] + (left + up) // 2 & 255
        elif kind == 4:
            guess = left + up - corner
            line[x] = line[x] + min((left, up, corner), key=lambda each: abs(guess - each)) & 255
    return line


def test_a_report_is_drawn_by_a_browser():
    with report() as folder:
        page = f"file://{folder}/report.html"
        with open(os.path.join(folder, "report.html")) as file:
            text = file.read()
        structure = Structure(text)
        expect(not structure.faults and not structure.open, "elements are closed", (structure.faults[:3], structure.open))
        expect(not re.search(r"<(script|link|img|iframe|object)|(src|href)=|url\(|@import|https?:", text), "nothing is loaded")
        shots = {"light": (700, 1100), "dark": (700, 1100, "--blink-settings=preferredColorScheme=0")}
        for name, (width, height, *flags) in shots.items():
            path = os.path.join(folder, f"{name}.png")
            chromium(folder, f"--window-size={width},{height}", f"--screenshot={path}", *flags, page)
            shots[name] = pixels(path)
        blue, night = bytes((0x2F, 0x6B, 0xDE)), bytes((0x0F, 0x12, 0x16))
        expect(blue in shots["light"][2] and night not in shots["light"][2], "charts are drawn, on a light page", shots["light"][:2])
        expect(night in shots["dark"][2], "a dark screen has a dark page", shots["dark"][:2])
        chromium(folder, "--no-pdf-header-footer", f"--print-to-pdf={folder}/report.pdf", page)
        with open(os.path.join(folder, "report.pdf"), "rb") as file:
            pages = len(re.findall(rb"/Type\s*/Page\b", file.read()))
        expect(2 <= pages <= 8, "it is printed", pages)


def test_a_report_fits_every_screen():
    """No width makes the page wider than itself, and words stay large enough to be read."""
    measure = """
        <script>onload = () => setTimeout(() => {
          const seen = [...document.querySelectorAll("iframe")].map(frame => {
            const page = frame.contentDocument, words = [...page.querySelectorAll("span, p, td, li, b, code")];
            return {
              width: frame.clientWidth, wide: page.documentElement.scrollWidth,
              smallest: Math.min(...words.map(each => parseFloat(frame.contentWindow.getComputedStyle(each).fontSize))),
              charts: [...page.querySelectorAll(".plot svg")].map(each => each.getBoundingClientRect().width)};
          });
          document.body.innerHTML = "<pre>" + JSON.stringify(seen) + "</pre>";
        }, 500)</script>"""
    with report() as folder:
        frames = "".join(f'<iframe src="report.html" style="border:0;width:{width}px;height:800px"></iframe>' for width in WIDTHS)
        with open(os.path.join(folder, "frames.html"), "w") as file:
            file.write(f"<!DOCTYPE html><body>{frames}{measure}</body>")
        site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=folder))
        threading.Thread(target=site.serve_forever, daemon=True).start()
        try:
            seen = chromium(folder, "--virtual-time-budget=8000", "--dump-dom", f"http://127.0.0.1:{site.server_port}/frames.html")
        finally:
            site.shutdown()
        frames = json.loads(re.search(r"<pre>(.*)</pre>", seen, re.S).group(1))
        expect([frame["width"] for frame in frames] == list(WIDTHS), "each width is looked at", frames)
        for frame in frames:
            expect(frame["wide"] <= frame["width"], "the page is not wider than the screen", frame)
            expect(frame["smallest"] >= 10, "no word is too small", frame)
            expect(len(frame["charts"]) >= 8 and min(frame["charts"]) > 150, "charts have room", frame)


def test_a_merge_is_bucket_exact():
    with open(RUN) as file:
        first = json.load(file)
    first["run"]["shard"] = {"index": 0, "count": 2}
    second = json.loads(json.dumps(first))
    second["run"]["shard"]["index"] = 1
    first.pop("shards", None), second.pop("shards", None)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("0.json", "1.json", "sum.json")]
        for path, part in zip(paths, (first, second)):
            with open(path, "w") as file:
                json.dump(part, file)
        callagent("load", "merge", paths[0], paths[1], "-o", paths[2])
        with open(paths[2]) as file:
            merged = json.load(file)
        check_results(merged)
        for name, histogram in first["histograms"].items():
            doubled = [[value, count * 2] for value, count in histogram["buckets"]]
            expect(merged["histograms"][name]["buckets"] == doubled, f"{name} is the exact sum", merged["histograms"][name])


def collected(port):
    """What a server's `--metrics` says now, by name and labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        expect(answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", "the format is named", answer.headers.items())
        families = list(prometheus_client.parser.text_string_to_metric_families(answer.read().decode()))
    return {family.name: family for family in families}


def test_a_servers_metrics_are_read_by_prometheus():
    port = free_port()
    with running_server("--metrics", str(port)) as running:
        before = collected(port)
        expect(before["callbridge_participants"].samples[0].value == 0, "nobody is there", before["callbridge_participants"])
        pair = [agent(running.url, name, "--tone", "440", seconds=5) for name in ("ada", "bob")]
        most = 0
        while any(child.process.poll() is None for child in pair):
            most = max(most, collected(port)["callbridge_participants"].samples[0].value)
        for child in pair:
            child.result(code=(0, 1))
        after = collected(port)
    expect(most == 2, "both were there", most)
    kinds = {name: family.type for name, family in after.items()}
    expect(kinds["callbridge_packets_forwarded"] == "counter" and kinds["callbridge_rooms"] == "gauge", "kinds are named", kinds)
    forwarded = after["callbridge_packets_forwarded"].samples[0].value
    expect(forwarded > 200, "their sound was counted", forwarded)
    for name, family in before.items():
        if family.type == "counter":
            expect(after[name].samples[0].value >= family.samples[0].value, f"{name} does not fall", after[name])
    expect(after["process_cpu_seconds"].samples[0].value > 0 and after["process_resident_memory_bytes"].samples[0].value > 1e6, "the process, too")

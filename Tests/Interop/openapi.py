"""docs/openapi/conversations.yaml, judged by a schema fuzzer (PyPI `schemathesis`): what it makes of the file is answered as the file says."""
import os
import re
import subprocess
import sys
import tempfile

from livekit import api

from harness import KEY, ROOT, SECRET, expect, running_server

FUZZER = os.path.join(os.path.dirname(sys.executable), "schemathesis")
# A field `person` is not read beside a token, and a number may name no message: what is good by the file alone may be refused.
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"


def fuzz(url, role, *options):
    token = api.AccessToken(KEY, SECRET).with_identity(role).with_attributes({"role": role}).to_jwt()
    return subprocess.run(
        [FUZZER, "run", os.path.join(ROOT, "docs", "openapi", "conversations.yaml"), "--url", url, "-H", f"Authorization: Bearer {token}",
         # Sockets are no requests; how fast examples are made is not the question.
         "--exclude-path-regex", "/(events|co-browsing)$", "--checks", CHECKS, "--phases", "fuzzing,stateful",
         "--max-examples", "8", "--seed", "13", "--suppress-health-check", "all", "--no-color", *options],
        text=True, capture_output=True, timeout=280, cwd=tempfile.gettempdir())


def judge(role):
    # In memory, where that can be had: this is not about disks.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder, running_server("--data", folder) as running:
        done = fuzz(f"http://127.0.0.1:{running.port}/callbridge/v1", role)
        expect(done.returncode == 0, f"the fuzzer finds nothing as {role}", (done.stdout + done.stderr)[-1400:])
        asked = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
        expect(asked and int(asked[2]) > 100, "it has asked much", done.stdout[-400:])


def test_openapi_as_a_visitor():
    judge("visitor")


def test_openapi_as_an_agent():
    judge("agent")

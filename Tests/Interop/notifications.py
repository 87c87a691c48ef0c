"""A notification extension as a process of its own: keys shared by processes, every outcome, kills, a full disk."""
import base64
import json
import os
import secrets
import shutil
import subprocess
import tempfile
import time

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from harness import CALLAGENT, LeftOut, expect


def envelope(key_id, key, content):
    """Sealed as docs/client-core.md says it, by another implementation of AES-GCM."""
    header = bytes([1, len(key_id)]) + key_id.encode()
    nonce = secrets.token_bytes(12)
    return base64.b64encode(header + nonce + AESGCM(key).encrypt(nonce, json.dumps(content).encode(), header)).decode()


def content(number, **changes):
    fields = {"id": f"n{number}", "kind": "MESSAGE", "conversationId": "c1", "title": "Ada", "text": "good morning",
              "expiresAt": int(time.time() * 1000) + 60_000}
    fields.update(changes)
    return {name: value for name, value in fields.items() if value is not None}


def payload(text):
    alert = {"title": "New", "body": "open the application"}
    return {"aps": {"alert": alert, "sound": "ding", "mutable-content": 1}, "callbridge.encrypted": text}


def notification(command, folder, value, *options, check=True):
    done = subprocess.run([CALLAGENT, "notification", command, "--keys", folder, *options], text=True, capture_output=True,
                          input=value if isinstance(value, str) else json.dumps(value), timeout=60)
    if check:
        expect(done.returncode == 0, f"notification {command}", done.stderr)
    return done


def decrypt(folder, value, *options):
    return json.loads(notification("decrypt", folder, value, *options).stdout)


def keep(folder, key_id, key, *options, check=True):
    return notification("keep-key", folder, {"id": key_id, "key": base64.b64encode(key).decode()}, *options, check=check)


def test_notification_outcomes():
    key, other = secrets.token_bytes(32), secrets.token_bytes(32)
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "keys")
        keep(folder, "k1", key)
        first = content(1)
        sealed = payload(envelope("k1", key, first))
        blank = {"title": "", "body": "", "sound": "ding"}
        original = {"title": "New", "body": "open the application", "sound": "ding"}
        shown = {"title": "Ada", "body": "good morning", "sound": "default", "userInfo": first}
        rows = [
            (sealed, {"outcome": "opened", "shown": shown}),
            (sealed, {"outcome": "blank", "reason": "replayed", "shown": blank}),
            ({"data": {"callbridge.encrypted": envelope("k1", key, content(2, text=None))}},
             {"outcome": "original", "shown": {"title": "", "body": ""}}),
            (payload(envelope("k1", key, content(3, title=None))), {"outcome": "original", "shown": original}),
            (payload(envelope("k1", other, content(4))), {"outcome": "blank", "reason": "not authentic", "shown": blank}),
            (payload(envelope("k9", other, content(5))), {"outcome": "blank", "reason": "unknown key", "shown": blank}),
            (payload(envelope("k1", key, content(6, expiresAt=1))), {"outcome": "blank", "reason": "expired", "shown": blank}),
            (payload("AgFr"), {"outcome": "blank", "reason": "unknown version 2", "shown": blank}),
            (payload(5), {"outcome": "blank", "reason": "malformed", "shown": blank}),
            ({"aps": {"alert": "plain"}}, {"outcome": "blank", "reason": "malformed", "shown": {"title": "", "body": ""}}),
            ("no JSON", {"outcome": "blank", "reason": "malformed", "shown": {"title": "", "body": ""}}),
        ]
        for value, wanted in rows:
            got = decrypt(folder, value)
            expect(got == wanted, "the outcome", {"got": got, "wanted": wanted})
        # The key before opens what is on its way.
        keep(folder, "k2", other)
        expect(decrypt(folder, payload(envelope("k1", key, content(7))))["outcome"] == "opened", "the former key opens")
        expect(decrypt(folder, payload(envelope("k2", other, content(8))))["outcome"] == "opened", "the new key opens")
        wrong = notification("keep-key", folder, {"id": "k", "key": "AAAA"}, check=False)
        expect(wrong.returncode == 2 and "no key" in wrong.stderr, "a key that is none", wrong.stderr)


def test_notification_keys_are_sealed():
    key = secrets.token_bytes(32)
    with tempfile.TemporaryDirectory() as root:
        folder, secret = os.path.join(root, "keys"), os.path.join(root, "secret")
        keep(folder, "a-key-of-mine", key, "--key-file", secret)
        kept = b"".join(open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder))
        expect(b"a-key-of-mine" not in kept and base64.b64encode(key) not in kept, "files say nothing")
        sealed = payload(envelope("a-key-of-mine", key, content(1)))
        expect(decrypt(folder, sealed, "--key-file", secret)["outcome"] == "opened", "with the key they do")
        os.chmod(secret, 0o644)
        refused = notification("decrypt", folder, sealed, "--key-file", secret, check=False)
        expect(refused.returncode == 3 and "chmod 600" in refused.stderr, "a key that others can read", refused.stderr)


def test_notification_kills_lose_no_key():
    """Processes that keep keys are killed at any moment; the last key whose process ended well opens, and files are whole."""
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "keys")
        known, killed = None, 0
        for number in range(60):
            key_id, key = f"k{number}", secrets.token_bytes(32)
            process = subprocess.Popen([CALLAGENT, "notification", "keep-key", "--keys", folder], stdin=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            process.stdin.write(json.dumps({"id": key_id, "key": base64.b64encode(key).decode()}).encode())
            process.stdin.close()
            time.sleep(0.001 * (number % 20))
            process.kill()
            if process.wait() == 0:
                known = (key_id, key)
            else:
                killed += 1
            if known:
                got = decrypt(folder, payload(envelope(*known, content(number))))
                # One that was killed may have kept its key: the one before still opens.
                expect(got["outcome"] == "opened", "what was acknowledged opens", {"got": got, "number": number})
                if process.returncode != 0:
                    keep(folder, *known)
            else:
                keep(folder, key_id, key)
                known = (key_id, key)
        expect(killed > 5, "some were killed", killed)
        left = sorted(os.listdir(folder))
        expect(left == [".lock", "notifications"], "nothing else is left", left)


def test_notification_full_disk():
    """A folder on a small tmpfs: what can't be kept is said, and what was kept stays."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise LeftOut("mounting a tmpfs needs root and unshare")
    first, second = secrets.token_bytes(32), secrets.token_bytes(32)
    with tempfile.TemporaryDirectory() as root:
        script = f"""
            set -e
            mount -t tmpfs -o size=32k tmpfs {root}
            echo '{json.dumps({"id": "k1", "key": base64.b64encode(first).decode()})}' | {CALLAGENT} notification keep-key --keys {root}/keys
            dd if=/dev/zero of={root}/filling bs=1k count=64 2>/dev/null || true
            if echo '{json.dumps({"id": "k2", "key": base64.b64encode(second).decode()})}' \
                | {CALLAGENT} notification keep-key --keys {root}/keys; then echo "no error" >&2; exit 9; fi
            rm {root}/filling
            echo '{json.dumps(payload(envelope("k1", first, content(1))))}' | {CALLAGENT} notification decrypt --keys {root}/keys
        """
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, timeout=60)
        expect(done.returncode == 0, "the run", done.stderr)
        expect("No space left" in done.stderr, "the disk is named", done.stderr)
        expect(json.loads(done.stdout)["outcome"] == "opened", "the first key opens", done.stdout)

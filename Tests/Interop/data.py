"""Data between real peers and `callagent`: messages, text streams, remote procedure calls, data of the room API."""
import asyncio
import time

from livekit import api
from livekit.protocol import models

from harness import KEY, SECRET, agent, expect, lk_peer, server

ROOM = "interop"


def messages_of(result, sender, text, reliable):
    return [d["text"] for d in result["data"]
            if d["from"] == sender and d.get("reliable") is reliable and d["text"].startswith(text)]


def real_peers_exchange(mode):
    with server() as url:
        bob = lk_peer(url, "bob", "--single-pc", mode, "--text-topic", "t", seconds=10)
        ann = lk_peer(
            url, "ann", "--single-pc", mode, "--data", "hello", "--data-count", "60", "--data-interval", "0.1",
            "--at", "4:lossy:low", "--at", "4.5:text:t=a long text", "--at", "5:rpc:bob=ping", seconds=9)
        a, b = ann.result(), bob.result()
        expect(a["data_sent"] == 60 and a["data_received"] == 0, "ann sends 60 and hears no echo", a["data"])
        sent = [f"hello#{n}" for n in range(60)]
        got = messages_of(b, "ann", "hello", True)
        # Those sent before bob was there are not his; from then on all come, in order.
        expect(got and got == sent[-len(got):] and len(got) >= 10, "bob gets them in order and once", b)
        expect(messages_of(b, "ann", "low", False) == ["low"], "the lossy one comes as lossy", b["data"])
        texts = [d["text"] for d in b["data"] if d.get("stream")]
        expect(texts == ["a long text"], "the text stream arrives whole", texts)
        expect([r["answer"] for r in a["rpc"]] == ["ping"], "bob's method answers", a["rpc"])


def test_real_peers_exchange_data_single_connection():
    real_peers_exchange("1")


def test_real_peers_exchange_data_two_connections():
    real_peers_exchange("0")


def agent_and_real_peer(mode):
    own = [] if mode == "1" else ["--two-connections"]
    with server() as url:
        real = lk_peer(
            url, "real", "--single-pc", mode, "--text-topic", "t", "--at", "6:data:to ours", "--at", "6.5:text:t=their text",
            "--at", "7:rpc:ours=from real", seconds=11)
        ours = agent(
            url, "ours", *own, "--tone", "440", "--data", "hello", "--data-count", "20", "--data-interval", "0.05",
            "--data-topic", "greetings", "--data-wait", "real", "--data-delay", "2", "--text", "t=our text", "--rpc", "real=from ours", seconds=90)
        r = real.result()
        o = ours.stopped()
        expect(o["data"]["sent"] == 20, "we send 20", o["data"])
        got = messages_of(r, "ours", "hello", True)
        expect(got == [f"hello#{n}" for n in range(20)], "the real peer gets them in order and once", got)
        expect({d["topic"] for d in r["data"] if d.get("reliable")} == {"greetings"}, "with their topic", r["data"])
        expect([d["text"] for d in r["data"] if d.get("stream")] == ["our text"], "and our text stream", r["data"])
        expect(o["data"]["rpc"] == [{"to": "real", "answer": "from ours"}], "its method answers us", o["data"])
        expect([a["answer"] for a in r["rpc"]] == ["from real"], "ours answers it", r["rpc"])
        expect(o["data"]["rpcAnswered"] == 1, "once", o["data"])
        heard = [(d["from"], d["text"], d.get("reliable")) for d in o["data"]["received"]]
        expect(heard == [("real", "to ours", True), ("real", "their text", None)], "we get its message and text", heard)


def test_agent_and_real_peer_exchange_data_single_connection():
    agent_and_real_peer("1")


def test_agent_and_real_peer_exchange_data_two_connections():
    agent_and_real_peer("0")


async def send_data(url):
    async with api.LiveKitAPI(url.replace("ws", "http"), KEY, SECRET) as client:
        end = time.monotonic() + 10
        while len((await client.room.list_participants(api.ListParticipantsRequest(room=ROOM))).participants) < 2:
            expect(time.monotonic() < end, "both peers join within 10 s")
            await asyncio.sleep(0.1)
        await asyncio.sleep(1.5)
        await client.room.send_data(api.SendDataRequest(
            room=ROOM, data=b"for all", kind=models.DataPacket.Kind.RELIABLE, topic="news"))
        await client.room.send_data(api.SendDataRequest(
            room=ROOM, data=b"for ours", kind=models.DataPacket.Kind.RELIABLE, destination_identities=["ours"]))


def test_data_of_the_room_api_reaches_peers():
    with server() as url:
        real = lk_peer(url, "real", seconds=7)
        ours = agent(url, "ours", "--tone", "440", seconds=7)
        asyncio.run(send_data(url))
        o, r = ours.result(), real.result()
        expect([(d["from"], d["text"], d["topic"]) for d in r["data"]] == [(None, "for all", "news")], "the real peer", r["data"])
        heard = [(d.get("from"), d["text"]) for d in o["data"]["received"]]
        expect(heard == [(None, "for all"), (None, "for ours")], "the agent", heard)


def test_data_is_encrypted_end_to_end():
    with server() as url:
        real = lk_peer(url, "real", "--e2ee-key", "one key", "--at", "5:data:secret", seconds=9)
        ours = agent(
            url, "ours", "--tone", "440", "--e2ee-key", "one key", "--data", "hidden", "--data-count", "3",
            "--data-wait", "real", "--data-delay", "2", "--data-interval", "0.1", seconds=90)
        keyless = lk_peer(url, "keyless", seconds=9)
        r, k = real.result(), keyless.result()
        o = ours.stopped()
        expect(messages_of(r, "ours", "hidden", True) == [f"hidden#{n}" for n in range(3)], "the real peer reads ours", r["data"])
        expect([d["text"] for d in o["data"]["received"]] == ["secret"], "we read the real peer's", o["data"])
        expect(k["data"] == [], "without the key nothing is read", k["data"])

"""Does a capture of a call show anything but STUN, DTLS and ciphertext?"""
import struct
import zlib

import numpy

from harness import expect

MAGIC_COOKIE = b"\x21\x12\xa4\x42"
DTLS_HANDSHAKE, CLIENT_HELLO = 22, 1


def kind_of(datagram):
    """RFC 7983: by the first byte, then by what the kind's header must hold; None where it is none of them."""
    first = datagram[0] if datagram else 255
    if first < 4 and len(datagram) >= 20 and datagram[4:8] == MAGIC_COOKIE:
        return "stun" if struct.unpack_from("!H", datagram, 2)[0] == len(datagram) - 20 else None
    if 20 <= first <= 63 and len(datagram) >= 13 and datagram[1] == 0xFE:
        return "dtls"
    if 128 <= first <= 191 and len(datagram) >= 12:
        return "rtcp" if 192 <= datagram[1] <= 223 else "rtp"
    return None


def rtp_payload(packet):
    """What follows the header, its CSRCs and its extension: encrypted payload and tag."""
    at = 12 + 4 * (packet[0] & 15)
    if packet[0] & 16:
        at += 4 + 4 * struct.unpack_from("!H", packet, at + 2)[0]
    return packet[at:]


def chi_square(values):
    """Of a byte histogram against the uniform one: about 255 +- 23 for random bytes."""
    counts = numpy.bincount(numpy.frombuffer(values, numpy.uint8), minlength=256)
    wanted = len(values) / 256
    return float(((counts - wanted) ** 2 / wanted).sum())


def check_random(packets, what):
    """Encrypted bytes are uniform, also at the payload's first byte: in the clear it is the Opus TOC or the VP8
    descriptor, the same few values in every packet however incompressible the rest is."""
    joined = b"".join(packets)
    firsts = b"".join(packet[:1] for packet in packets)
    expect(len(packets) > 300, f"the capture holds {what}", len(packets))
    expect(chi_square(joined) < 450, f"bytes of {what} are uniform", chi_square(joined))
    expect(chi_square(firsts) < 450, f"first bytes of {what} are uniform", chi_square(firsts))
    expect(len(zlib.compress(joined, 9)) > 0.99 * len(joined), f"{what} don't compress")


def check_capture(datagrams, names):
    """`datagrams`: (outgoing, payload); `names`: what must not stand in clear in any of them."""
    kinds = {}
    for outgoing, datagram in datagrams:
        kinds.setdefault(kind_of(datagram), []).append((outgoing, datagram))
    expect(None not in kinds, "all datagrams are STUN, DTLS, RTP or RTCP",
           [datagram[:24].hex() for _, datagram in kinds.get(None, [])[:5]])
    hellos = [d for _, d in kinds.get("dtls", []) if d[0] == DTLS_HANDSHAKE and d[13] == CLIENT_HELLO]
    expect(hellos, "the capture has the DTLS ClientHello", {str(kind): len(found) for kind, found in kinds.items()})
    check_names([datagram for _, datagram in datagrams], names)
    for outgoing, way in ((True, "sent"), (False, "received")):
        check_media([d for out, d in kinds["rtp"] if out == outgoing], way)
    check_rtcp([d for _, d in kinds.get("rtcp", [])])
    return {kind: len(found) for kind, found in kinds.items()}


def check_names(datagrams, names):
    for name in names:
        shown = [d for d in datagrams if name.encode() in d]
        expect(not shown, f"{name!r} stands nowhere in clear", [d[:40].hex() for d in shown[:3]])


def check_media(packets, way):
    by_type = {}
    for packet in packets:
        by_type.setdefault(packet[1] & 127, []).append(rtp_payload(packet))
    busy = {number: payloads for number, payloads in by_type.items() if len(payloads) > 300}
    expect(len(busy) >= 2, f"audio and video are {way}", {number: len(found) for number, found in by_type.items()})
    for number, payloads in busy.items():
        check_random(payloads, f"payloads {way} of type {number}")


def check_rtcp(packets):
    """SRTCP: the E bit of the index at the end (AEAD, RFC 7714) says that the body is encrypted."""
    expect(len(packets) > 20, "the capture holds RTCP", len(packets))
    clear = [packet.hex() for packet in packets if not packet[-4] & 128]
    expect(not clear, "all RTCP is encrypted", clear[:3])
    bodies = b"".join(packet[8:-4] for packet in packets)
    expect(chi_square(bodies) < 450, "bytes of RTCP are uniform", chi_square(bodies))

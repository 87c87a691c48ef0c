import Testing

@testable import RTCWire

@Suite struct SDPCandidateTests {
    @Test func readsAHostCandidate() throws {
        let text = "candidate:509074296 1 udp 2122194687 192.0.2.2 37797 typ host generation 0 network-id 1"
        let candidate = try ICECandidate(parsing: text)
        #expect(candidate.foundation == "509074296")
        #expect(candidate.component == 1)
        #expect(candidate.transportProtocol == .udp)
        #expect(candidate.priority == 2_122_194_687)
        #expect(candidate.address == TransportAddress(ipv4: 0xC000_0202, port: 37797))
        #expect(candidate.type == .host)
        #expect(candidate["network-id"] == "1")
        #expect(candidate.encoded == text)
        #expect(try ICECandidate(parsing: "a=" + text) == candidate)
        #expect(try ICECandidate(parsing: String(text.dropFirst("candidate:".count))) == candidate)
    }

    @Test func readsRelatedAddressesAndTCP() throws {
        let text =
            "candidate:1 1 tcp 1518280447 2001:db8::5 9 typ srflx raddr 10.0.0.1 rport 5000 tcptype passive ufrag ab+/"
        let candidate = try ICECandidate(parsing: text)
        #expect(candidate.transportProtocol == .tcp)
        #expect(candidate.type == .serverReflexive)
        #expect(candidate.related == TransportAddress(ipv4: 0x0A00_0001, port: 5000))
        #expect(candidate.tcpType == "passive")
        #expect(candidate.ufrag == "ab+/")
        #expect(candidate.encoded == text)
    }

    @Test func namesHaveNoAddress() throws {
        let mDNS = "candidate:1 1 udp 1 3f1d9c2e-5a7b-4c1d-9e8f-0a1b2c3d4e5f.local 50000 typ host"
        #expect(try ICECandidate(parsing: mDNS).address == nil)
        #expect(try ICECandidate(parsing: "candidate:1 1 udp 1 turn.example.org 1 typ relay").address == nil)
        #expect(
            try ICECandidate(parsing: "candidate:1 1 quic 1 127.0.0.1 1 typ weird").transportProtocol == .other("quic"))
    }

    @Test func writesOurOwn() throws {
        let address = TransportAddress(ipv4: 0x7F00_0001, port: 7882)
        let candidate = ICECandidate(foundation: "f", priority: 5, address: address, type: .host, ufrag: "abcd")
        #expect(candidate.encoded == "candidate:f 1 udp 5 127.0.0.1 7882 typ host ufrag abcd")
        // RFC 6544 section 4.5.
        let passive = ICECandidate(
            foundation: "f", priority: 5, address: address.over(.tcp), type: .host, tcpType: "passive", ufrag: "abcd")
        #expect(passive.encoded == "candidate:f 1 tcp 5 127.0.0.1 7882 typ host tcptype passive ufrag abcd")
        #expect(try ICECandidate(parsing: passive.encoded).address == address.over(.tcp))
        #expect(address.over(.tcp) != address && address.over(.tcp).sharesHost(with: address))
    }

    @Test(arguments: [
        "", "candidate:", "candidate:1 1 udp 1 127.0.0.1 9", "candidate:1 1 udp 1 127.0.0.1 9 host x",
        "candidate:1 1 udp 1 127.0.0.1 9 typ", "candidate:1 x udp 1 127.0.0.1 9 typ host",
        "candidate:1 257 udp 1 127.0.0.1 9 typ host", "candidate:1 1 udp 4294967296 127.0.0.1 9 typ host",
        "candidate:1 1 udp -1 127.0.0.1 9 typ host", "candidate:1 1 udp 1 127.0.0.1 65536 typ host",
        "candidate:123456789012345678901234567890123 1 udp 1 127.0.0.1 9 typ host",
        "candidate:1 1 udp 1 127.0.0.1 9 typ host generation", "candidate:1 1 udp 1 127.0.0.1 9 typ host rport x",
    ]) func refuses(_ text: String) {
        #expect(throws: SDPError.self) { try ICECandidate(parsing: text) }
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"),
        ("::1", "::1"), ("fd00::2", "fd00::2"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("1:2:3:4:5:6:0:8", "1:2:3:4:5:6:0:8"),
        ("fe80::", "fe80::"), ("::ffff:10.1.2.3", "10.1.2.3"), ("64:ff9b::1.2.3.4", "64:ff9b::102:304"),
    ]) func readsAndWritesAddresses(_ text: String, _ canonical: String) {
        let address = TransportAddress(host: text, port: 9)
        #expect(address?.host == canonical)
        #expect(address?.port == 9)
        #expect(address.flatMap { TransportAddress(host: $0.host, port: 9) } == address)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.x", "1..2.3", "0001.2.3.4", ":", ":::", "1::2::3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "g::", "fe80::1%eth0", "::1.2.3",
        "1.2.3.4::", "localhost", "[::1]",
    ]) func refusesOtherAddresses(_ text: String) {
        #expect(TransportAddress(host: text, port: 9) == nil)
    }
}

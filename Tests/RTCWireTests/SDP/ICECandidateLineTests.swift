import RTCWire
import Testing

/// Candidate lines of browsers and servers, RFC 8839 section 5.1 and RFC 6544 section 4.5.
@Suite struct ICECandidateLineTests {
    @Test(arguments: [
        "1467250027 1 udp 2122260223 192.168.0.196 46243 typ host generation 0 ufrag 6YHb network-id 1",
        "842163049 1 udp 1677729535 47.61.61.61 54105 typ srflx raddr 192.168.0.196 rport 46243",
        "1 2 udp 33562367 10.0.0.1 60000 typ relay raddr 0.0.0.0 rport 0 generation 0",
        "2 1 tcp 1518280447 192.168.0.196 9 typ host tcptype active generation 0",
        "3 1 ssltcp 1 2001:db8::1 443 typ prflx", "4 256 udp 0 a1b2.local 5353 typ host",
    ])
    func linesComeBack(_ text: String) throws {
        let candidate = try ICECandidate(parsing: text)
        #expect(candidate.description == text && candidate.encoded == "candidate:" + text)
        #expect(try ICECandidate(parsing: "a=candidate:\(text)") == candidate)
        #expect(try ICECandidate(parsing: " candidate:\(text) ") == candidate)
    }

    @Test func everyField() throws {
        let candidate = try ICECandidate(
            parsing: "842163049 1 UDP 1677729535 47.61.61.61 54105 typ srflx raddr 10.0.0.9 rport 46243 ufrag AbCd x y")
        #expect(candidate.foundation == "842163049" && candidate.component == 1 && candidate.transportProtocol == .udp)
        #expect(candidate.priority == 1_677_729_535 && candidate.host == "47.61.61.61" && candidate.port == 54_105)
        #expect(
            candidate.type == .serverReflexive && candidate.relatedHost == "10.0.0.9" && candidate.relatedPort == 46_243
        )
        #expect(candidate.address == TransportAddress(ipv4: 0x2f3d_3d3d, port: 54_105))
        #expect(candidate.related == TransportAddress(ipv4: 0x0a00_0009, port: 46_243))
        #expect(candidate.ufrag == "AbCd" && candidate["x"] == "y" && candidate["z"] == nil && candidate.tcpType == nil)
    }

    @Test func protocolsAndTypes() throws {
        func parse(_ transport: String, _ type: String) throws -> ICECandidate {
            try ICECandidate(parsing: "1 1 \(transport) 1 10.0.0.1 9 typ \(type) tcptype so")
        }
        #expect(try parse("TCP", "host").transportProtocol == .tcp && parse("udp", "relay").type == .relay)
        #expect(try parse("sctp", "future").transportProtocol == .other("sctp"))
        #expect(try parse("udp", "future").type == .other("future") && parse("udp", "prflx").type == .peerReflexive)
        #expect(try parse("tcp", "host").tcpType == "so")
        // Type words are lower case, section 5.1.
        #expect(try parse("udp", "HOST").type == .other("HOST"))
    }

    /// What follows the related address is an extension, whatever its name.
    @Test func relatedAddressesComeFirst() throws {
        let candidate = try ICECandidate(parsing: "1 1 udp 1 10.0.0.1 9 typ host a b raddr 10.0.0.2 rport x")
        #expect(candidate.relatedHost == nil && candidate.relatedPort == nil)
        #expect(candidate.extensions.map(\.name) == ["a", "raddr", "rport"] && candidate["rport"] == "x")
        #expect(candidate.related == nil)
    }

    @Test func namesAreNoAddresses() throws {
        let candidate = try ICECandidate(parsing: "1 1 udp 1 4f1c.local 9 typ srflx raddr nowhere rport 1")
        #expect(candidate.address == nil && candidate.related == nil && candidate.host == "4f1c.local")
    }

    @Test func limits() throws {
        let long = "1 1 udp 1 10.0.0.1 9 typ host" + String(repeating: " a b", count: 600)
        #expect(throws: SDPError.invalidCandidate(field: "length")) { try ICECandidate(parsing: long) }
        #expect(throws: SDPError.invalidCandidate(field: "component")) {
            try ICECandidate(parsing: "1 0 udp 1 10.0.0.1 9 typ host")
        }
        #expect(throws: SDPError.invalidCandidate(field: "value of generation")) {
            try ICECandidate(parsing: "1 1 udp 1 10.0.0.1 9 typ host generation")
        }
        #expect(throws: SDPError.invalidCandidate(field: "rport")) {
            try ICECandidate(parsing: "1 1 udp 1 10.0.0.1 9 typ srflx raddr 10.0.0.1 rport 65536")
        }
        let longest = String(repeating: "f", count: 32)
        #expect(try ICECandidate(parsing: "\(longest) 1 udp 1 10.0.0.1 9 typ host").foundation == longest)
    }

    @Test func ourOwn() {
        let address = TransportAddress(high: 0x2001_0db8_0000_0000, low: 7, port: 9)
        let candidate = ICECandidate(
            foundation: "f", priority: .max, address: address, type: .serverReflexive,
            related: TransportAddress(high: 0, low: 0, port: 0))
        #expect(candidate.description == "f 1 udp 4294967295 2001:db8::7 9 typ srflx raddr :: rport 0")
        #expect(candidate.ufrag == nil && candidate.address == address)
    }
}

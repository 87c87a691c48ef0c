import Testing

@testable import RTCCore

@Suite struct ICEServerURLTests {
    @Test(arguments: [
        ("stun:stun.example", "stun.example", 3478, ICEServerURL.Kind.stun, ICEServerURL.Transport.udp),
        ("STUN:192.0.2.1:19302", "192.0.2.1", 19302, .stun, .udp), ("stuns:s.example", "s.example", 5349, .stun, .tls),
        ("turn:[2001:db8::1]:3479", "2001:db8::1", 3479, .turn, .udp),
        ("turn:t.example?transport=udp", "t.example", 3478, .turn, .udp),
        ("turn:t.example:80?transport=TCP", "t.example", 80, .turn, .tcp),
        ("turns:t.example:443?transport=tcp", "t.example", 443, .turn, .tls),
        ("turns:t.example", "t.example", 5349, .turn, .tls),
    ])
    func urlsAreRead(
        text: String, host: String, port: UInt16, kind: ICEServerURL.Kind, transport: ICEServerURL.Transport
    ) throws {
        let url = try #require(ICEServerURL(text))
        #expect(url.host == host && url.port == port && url.kind == kind && url.transport == transport)
    }

    @Test(arguments: [
        "", "stun", "stun:", "http://x", "stun:x:0", "stun:x:65536", "stun:x:y", "turn:x?transport=sctp",
        "stun:x?transport=udp", "turns:x?transport=udp", "turn:[::1", "turn:user@x", "turn://x", "turn:x:1:2",
    ])
    func otherTextsAreNone(text: String) { #expect(ICEServerURL(text) == nil) }
}

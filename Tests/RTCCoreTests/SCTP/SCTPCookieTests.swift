import RTCWire
import Testing

@testable import RTCCore

/// The state cookie, RFC 9260 section 5.1.3.
@Suite struct SCTPCookieTests {
    private let key = HMACSHA256(key: [UInt8](repeating: 7, count: 32))

    private func initiate(_ parameters: [SCTPParameter] = []) -> InitChunk {
        InitChunk(
            initiateTag: 0xdead_beef, receiverWindow: 0x0001_0203, outboundStreams: 300, inboundStreams: 400,
            initialTSN: 0xffff_fff0, parameters: parameters)
    }

    private func cookie(_ chunk: InitChunk? = nil) -> SCTPCookie {
        SCTPCookie(
            answering: chunk ?? initiate(), localTag: 0x0102_0304, localInitialTSN: 0x0506_0708,
            tie: (0x1122_3344, 0x5566_7788), now: .at(123_456))
    }

    @Test func itKeepsWhatTheInitSaid() {
        let cookie = cookie()
        #expect(cookie.peerTag == 0xdead_beef && cookie.peerInitialTSN == 0xffff_fff0)
        #expect(cookie.peerWindow == 0x0001_0203)
        #expect(cookie.peerOutboundStreams == 300 && cookie.peerInboundStreams == 400)
        #expect(cookie.localTieTag == 0x1122_3344 && cookie.peerTieTag == 0x5566_7788)
    }

    @Test func itComesBackUnchanged() {
        let cookie = cookie()
        #expect(SCTPCookie(opening: cookie.sealed(key), key) == cookie)
        var late = cookie
        late.created = Instant(nanoseconds: -5)
        late.capabilities = [.forwardTSN, .reconfig]
        #expect(SCTPCookie(opening: late.sealed(key), key) == late)
    }

    /// Every bit of it is signed.
    @Test func aChangedOneIsNoneOfOurs() {
        let sealed = cookie().sealed(key)
        for index in sealed.indices {
            for bit in 0..<8 {
                var forged = sealed
                forged[index] ^= 1 << bit
                #expect(SCTPCookie(opening: forged, key) == nil, "byte \(index) bit \(bit)")
            }
        }
    }

    @Test func anotherLengthIsNoneOfOurs() {
        let sealed = cookie().sealed(key)
        #expect(SCTPCookie(opening: [], key) == nil && SCTPCookie(opening: Array(sealed.dropLast()), key) == nil)
        #expect(SCTPCookie(opening: sealed + [0], key) == nil)
    }

    @Test func anotherKeyIsAnothersCookie() {
        #expect(SCTPCookie(opening: cookie().sealed(key), HMACSHA256(key: [UInt8](repeating: 8, count: 32))) == nil)
    }

    /// RFC 3758 section 3.1 and RFC 5061 section 4.2.7: told by a parameter of its own or among the extensions.
    @Test func whatBothSidesCanDo() {
        func capabilities(_ parameters: [SCTPParameter]) -> SCTPCapabilities {
            cookie(initiate(parameters)).capabilities
        }
        let forward = SCTPParameter(type: SCTPParameter.Kind.forwardTSNSupported, value: [])
        func extensions(_ types: UInt8...) -> SCTPParameter {
            SCTPParameter(type: SCTPParameter.Kind.supportedExtensions, value: types)
        }
        #expect(capabilities([]) == [])
        #expect(capabilities([forward]) == .forwardTSN)
        #expect(capabilities([extensions(130)]) == .reconfig)
        #expect(capabilities([forward, extensions(64, 130)]) == [.forwardTSN, .reconfig])
    }
}

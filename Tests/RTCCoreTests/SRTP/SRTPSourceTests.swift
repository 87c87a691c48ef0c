import RTCWire
import Testing

@testable import RTCCore

/// More sources than places: none is refused for good, and none is taken twice.
@Suite struct SRTPSourceTests {
    private static let many = UInt32(SRTPSession.sourceLimit + 300)

    private func endpoints(_ backend: SRTPBackend) throws -> (sender: SRTPEndpoint, receiver: SRTPEndpoint) {
        (
            try SRTPEndpoint(keys: someKeys(.aeadAES128GCM), role: .client),
            try SRTPEndpoint(keys: someKeys(.aeadAES128GCM), role: .server, backend: backend)
        )
    }

    @Test(arguments: SRTPBackend.allCases) func sourcesThatGoMakePlace(_ backend: SRTPBackend) throws {
        let (sender, receiver) = try endpoints(backend)
        let first = try #require(sender.sealed(sealablePacket(1, ssrc: 1)))
        let report = try #require(sender.sealed(sealableReport(ssrc: 1), rtcp: true))
        #expect(receiver.opened(first) != nil && receiver.opened(report, rtcp: true) != nil)
        for ssrc in 2...SRTPSourceTests.many {
            let sealed = try #require(sender.sealed(sealablePacket(1, ssrc: ssrc)))
            #expect(receiver.opened(sealed) != nil)
        }
        #expect(receiver.opened(first) == nil && receiver.opened(report, rtcp: true) == nil, "a replay")
        #expect(receiver.statistics.replays == 2 && receiver.statistics.tooManySources == 0)
        #expect(sender.statistics.tooManySources == 0)
    }

    /// One that is heard all the time keeps its place, whatever comes and goes.
    @Test(arguments: SRTPBackend.allCases) func whoIsHeardStays(_ backend: SRTPBackend) throws {
        let (sender, receiver) = try endpoints(backend)
        for number in 0..<SRTPSourceTests.many {
            let steady = try #require(sender.sealed(sealablePacket(UInt16(number), ssrc: 7)))
            #expect(receiver.opened(steady) != nil)
            let passing = try #require(sender.sealed(sealablePacket(1, ssrc: 100 + number)))
            #expect(receiver.opened(passing) != nil)
        }
        #expect(receiver.statistics.unprotected == 2 * Int(SRTPSourceTests.many))
    }

    /// After the roll-over of its numbers: the counter is kept, and no index is used again in either direction.
    @Test func whoComesBackGoesOnWhereItWas() throws {
        let (sender, receiver) = try endpoints(.libcrypto)
        for number in stride(from: 0, through: 70_000, by: 500) {
            let sealed = try #require(sender.sealed(sealablePacket(UInt16(truncatingIfNeeded: number), ssrc: 1)))
            #expect(receiver.opened(sealed) != nil)
        }
        let report = try #require(sender.sealed(sealableReport(ssrc: 1), rtcp: true))
        #expect(receiver.opened(report, rtcp: true) != nil)
        for ssrc in 2...SRTPSourceTests.many {
            #expect(receiver.opened(try #require(sender.sealed(sealablePacket(1, ssrc: ssrc)))) != nil)
        }
        let last = UInt16(truncatingIfNeeded: 70_000)
        #expect(sender.sealed(sealablePacket(last, ssrc: 1)) == nil, "a key stream is used once")
        #expect(receiver.opened(report, rtcp: true) == nil)
        let next = sealablePacket(last + 1, ssrc: 1)
        #expect(receiver.opened(try #require(sender.sealed(next))) == next)
        let again = try #require(sender.sealed(sealableReport(ssrc: 1), rtcp: true))
        #expect(again != report && receiver.opened(again, rtcp: true) != nil)
    }

    @Test func whatIsForgottenIsKnownToBe() {
        let table = SRTPSourceTable(limit: 4, retiredLimit: 8)
        for ssrc: UInt32 in 1...12 {
            table.source(ssrc).pointee.rtp.insert(UInt64(ssrc))
            #expect(!table.hasForgotten)
        }
        #expect(table.known(1) == nil && table.retired(1)?.rtp == 1)
        _ = table.source(13)
        #expect(table.hasForgotten)
        #expect(table.source(1).pointee.rtp.highest == 1 && table.retired(1) == nil)
    }

    @Test func theOneUnusedForLongestGoes() {
        let table = SRTPSourceTable(limit: 4, retiredLimit: 100)
        for ssrc: UInt32 in 1...5 { _ = table.source(ssrc) }
        #expect(table.takeEvicted() == 1 && table.takeEvicted() == nil)
        for ssrc: UInt32 in [2, 4, 5] { #expect(table.known(ssrc) != nil) }
        _ = table.source(6)
        #expect(table.takeEvicted() == 3)
    }
}

import Foundation
import LiveKitProtocol
import Testing

@Suite struct SignalReadingTests {
    private let join = Livekit_JoinRequest.with {
        $0.clientInfo.sdk = .python
        $0.participantSid = "PA_1"
        $0.reconnect = true
    }

    private func wrapped(_ content: [UInt8], _ compression: Livekit_WrappedJoinRequest.Compression) -> [UInt8] {
        Livekit_WrappedJoinRequest.with {
            $0.compression = compression
            $0.joinRequest = Data(content)
        }.wireBytes
    }

    @Test func joinRequestsOfBothAlphabets() {
        let bytes = wrapped(join.wireBytes, .none)
        #expect(SignalReading.joinRequest(Base64.encode(bytes)) == join)
        #expect(SignalReading.joinRequest(Base64.encodeURL(bytes)) == join)
        #expect(SignalReading.joinRequest(Base64.encode(bytes).replacingOccurrences(of: "+", with: " ")) == join)
        #expect(SignalReading.joinRequest("%") == nil)
    }

    /// A small request that would unpack to more than is allowed, or is no gzip at all.
    @Test func hostileCompression() throws {
        #expect(SignalReading.joinRequest(wrapped: wrapped([1, 2, 3], .gzip)) == nil)
        // 2 MiB of zeros, as a chain of stored blocks.
        var gzip: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
        for _ in 0..<33 { gzip += [0, 0xff, 0xff, 0, 0] + [UInt8](repeating: 0, count: 0xffff) }
        #expect(SignalReading.joinRequest(wrapped: wrapped(gzip, .gzip)) == nil)
        #expect(SignalReading.joinRequest(wrapped: wrapped([UInt8](repeating: 0, count: 1 << 21), .none)) == nil)
    }

    /// Every sample, cut and damaged at every byte, goes through every reader.
    @Test func damagedInputsAreReadOrRefused() {
        let request = Livekit_SignalRequest.with {
            $0.syncState.publishTracks = [.with { $0.track.sid = "TR_1" }]
            $0.syncState.datachannelReceiveStates = [.with { $0.lastSeq = 7 }]
        }
        let samples: [[UInt8]] = [
            request.wireBytes, Array(request.wireJSON.utf8), wrapped(join.wireBytes, .none),
            Array(Base64.encode(wrapped(join.wireBytes, .none)).utf8),
            Array(
                AccessToken.join(room: "r", identity: "a", key: "key", secret: "secret", now: 1_700_000_000).utf8),
        ]
        for sample in samples {
            for position in sample.indices {
                for bit in 0..<8 as Range<UInt8> {
                    var damaged = sample
                    damaged[position] ^= 1 << bit
                    run(damaged)
                }
                run(Array(sample[..<position]))
            }
        }
    }

    private func run(_ bytes: [UInt8]) {
        for kind in 0..<5 as Range<UInt8> { ([kind] + bytes).withUnsafeBytes { SignallingFuzzing.signalling($0) } }
    }
}

import CAllocations
import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// What a received packet takes from the heap once its stream runs: SRTP opened, header and extensions read, its place
/// among those that came and those that are missing found, its arrival noted for the sender.
///
/// Nothing, in an optimised build. A debug build keeps the frames of accessors on the heap, and gets no more than a bound.
@Suite struct PeerAllocationTests {
    /// Alice's packets, sealed beforehand, and bob who opens them.
    private struct Load {
        private let call: PeerCall
        private let outbox = Outbox()
        private var packets: [[UInt8]] = []
        private(set) var opened = 0

        init(_ profile: SRTPProfile) throws {
            call = try PeerCall { configuration, _ in configuration.srtpProfiles = [profile] }
            call.takesTransportFeedback = true
            try call.connect()
        }

        mutating func seal(_ count: Int) {
            packets = []
            let payload = [UInt8](repeating: 7, count: 1000)
            for index in 0..<count {
                let isAudio = index % 3 == 0
                payload.withUnsafeBytes { bytes in
                    _ = call.alice.node.peer.send(
                        ssrc: isAudio ? call.alice.audioSSRC : call.alice.videoSSRC, marker: true,
                        timestamp: UInt32(truncatingIfNeeded: index * 960),
                        payload: UnsafeRawBufferPointer(rebasing: bytes[..<(isAudio ? 80 : 1000)]),
                        now: call.simulation.now, into: outbox)
                }
            }
            packets = outbox.datagrams.map { Array(outbox.bytes(of: $0)) }
            outbox.removeAll()
        }

        /// Every tenth packet comes behind the next one: it is missing for so long.
        mutating func receive() {
            let now = call.simulation.now
            for index in packets.indices {
                let place = index % 10 == 8 ? index + 1 : index % 10 == 9 ? index - 1 : index
                packets[place].withUnsafeMutableBytes { bytes in
                    call.bob.node.peer.receive(bytes, from: call.alice.node.address, now: now, into: outbox)
                }
                for event in outbox.events { if case .rtp = event { opened += 1 } }
                outbox.removeAll()
            }
        }
    }

    @Test(arguments: SRTPProfile.allCases) func aRunningStreamIsBounded(profile: SRTPProfile) throws {
        guard allocations_of_this_thread() >= 0 else { return }
        var load = try Load(profile)
        load.seal(1500)
        load.receive()
        load.seal(1500)
        let opened = load.opened
        let before = allocations_of_this_thread()
        load.receive()
        let taken = allocations_of_this_thread() - before
        print("\(profile): \(taken) allocations for 1500 received packets")
        #expect(load.opened - opened == 1500)
        #if DEBUG && OPTIMIZED_ENGINES
            // One of the frames that this test itself keeps there.
            #expect(taken <= 1500)
        #elseif DEBUG
            #expect(taken <= 2 * 1500)
        #else
            #expect(taken == 0)
        #endif
    }
}

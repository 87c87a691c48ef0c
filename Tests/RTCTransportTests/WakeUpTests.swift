import Glibc
import NIOCore
import RTCCore
import RTCWire
import Synchronization
import Testing

@testable import RTCTransport

/// How often a loop wakes for many sockets.
@Suite(.timeLimit(.minutes(10))) struct WakeUpTests {
    private static let count = 100

    private static func muxes(on loop: DatagramLoop, _ count: Int) async throws -> [UDPMux] {
        var settings = UDPMuxConfiguration()
        settings.socketBufferSize = 64 * 1024
        var muxes: [UDPMux] = []
        for _ in 0..<count {
            muxes.append(try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0, configuration: settings).get())
        }
        return muxes
    }

    /// Sockets that are ready together are read together.
    @Test func manySocketsShareAWakeUp() async throws {
        let loop = try DatagramLoop()
        let muxes = try await Self.muxes(on: loop, Self.count)
        let sender = try DatagramSocket.bind(host: "127.0.0.1", port: 0, bufferSize: 1 << 20)
        let before = try await loop.submit {
            // Nothing is read while this runs.
            for mux in muxes { for number in 0..<3 as Range<UInt8> { Self.send(number, to: mux, from: sender) } }
            return loop.wakeUps
        }.get()
        // The turn that this job ends has waited for what came meanwhile.
        try await loop.submit {}.get()
        try await loop.submit {
            #expect(muxes.map(\.statistics.unknownSource) == Array(repeating: 3, count: Self.count))
            // Some more for the jobs of this test, each of which may wake the loop; by far not one for each socket.
            #expect(loop.wakeUps - before <= Self.count / 5)
        }.get()
        for mux in muxes { try await mux.close().get() }
        try await loop.shutdownGracefully()
    }

    private static func send(_ number: UInt8, to mux: UDPMux, from sender: DatagramSocket) {
        var bytes = [number, 1, 2, 3]
        bytes.withUnsafeMutableBytes { bytes in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            let outcome = withUnsafeMutablePointer(to: &part) {
                sender.send(
                    UnsafeMutableBufferPointer(start: $0, count: 1),
                    to: RawSocketAddress(mux.localAddress, forIPv4: true), from: nil, segmentSize: nil)
            }
            #expect(outcome == .sent)
        }
    }

    /// A loop that may leave its sockets alone looks at them by the clock and not for each datagram.
    @Test func aModeratedLoopSeldomWakes() async throws {
        let (interval, passes) = (Interval.milliseconds(10), 20)
        let loop = try DatagramLoop(moderation: interval)
        let muxes = try await Self.muxes(on: loop, Self.count)
        let sender = try DatagramSocket.bind(host: "127.0.0.1", port: 0, bufferSize: 1 << 20)
        let before = try await loop.submit { loop.wakeUps }.get()
        let start = MonotonicClock.now()
        for pass in 0..<passes { for mux in muxes { Self.send(UInt8(pass), to: mux, from: sender) } }
        let (after, end) = try await loop.submit { (loop.wakeUps, MonotonicClock.now()) }.get()
        // Two looks an interval at most: one at once, and the one that then waits; and one for each of the jobs of this test.
        #expect(Double(after - before) <= 2 * ((end - start).seconds / interval.seconds + 1) + 2)
        try await loop.submit {}.get()
        try await loop.submit {
            #expect(muxes.map(\.statistics.unknownSource) == Array(repeating: passes, count: Self.count))
        }.get()
        for mux in muxes { try await mux.close().get() }
        try await loop.shutdownGracefully()
    }

    /// Deadlines of many sockets within a millisecond are one wake-up.
    @Test func deadlinesOfManySocketsShareAWakeUp() async throws {
        let loop = try DatagramLoop()
        let now = MonotonicClock.now()
        let fired = try await loop.flatSubmit { () -> EventLoopFuture<Int> in
            let promise = loop.makePromise(of: Int.self)
            let turns = NIOLoopBoundBox<Set<Int>>([], eventLoop: loop)
            let left = NIOLoopBoundBox(Self.count, eventLoop: loop)
            for number in 0..<Self.count {
                let timer = LoopTimer {
                    turns.value.insert(loop.wakeUps)
                    left.value -= 1
                    if left.value == 0 { promise.succeed(turns.value.count) }
                }
                let due = now + .milliseconds(5) + .microseconds(number * 9)
                loop.set(timer, to: FlowDeadlines.rounded(due, granularity: .milliseconds(1), now: now))
            }
            return promise.futureResult
        }.get()
        #expect(fired <= 2)
        try await loop.shutdownGracefully()
    }

    @Test func deadlinesArePutOffToTheGrid() {
        func rounded(_ deadline: Int64, now: Int64 = 0) -> Int64 {
            FlowDeadlines.rounded(
                Instant(nanoseconds: deadline), granularity: .milliseconds(1), now: Instant(nanoseconds: now)
            ).nanoseconds
        }
        #expect(rounded(1) == 1_000_000 && rounded(1_000_000) == 1_000_000 && rounded(1_000_001) == 2_000_000)
        // What is overdue is not due at once: several such would keep the loop busy.
        #expect(rounded(5, now: 3_000_000) == 4_000_000 && rounded(.max - 5) == .max - 5)
    }

    /// What epoll has told of a socket that was closed meanwhile concerns nobody, also where another one has its place.
    @Test func aClosedSocketIsNotAsked() async throws {
        final class Source: DatagramSource {
            func socketIsReadable() {}
            func socketIsWritable() {}
        }
        var watches = SocketWatches()
        let (first, second) = (Source(), Source())
        let token = watches.add(first)
        #expect(watches.source(of: token) === first && watches.count == 1)
        watches.remove(token)
        let other = watches.add(second)
        #expect(watches.source(of: token) == nil && watches.source(of: other) === second && token != other)
        watches.remove(token)
        #expect(watches.source(of: other) === second && watches.count == 1 && watches.source(of: 0) == nil)
        #expect(watches.source(of: .max) == nil)
    }

    /// Handlers may close the mux that they are called by, in the midst of a batch.
    @Test func aMuxMayBeClosedWhileItReads() async throws {
        final class Closer: PeerFlowHandler {
            let closed: EventLoopPromise<Void>
            init(_ closed: EventLoopPromise<Void>) { self.closed = closed }
            func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {
                flow.mux.close().cascade(to: closed)
                flow.close()
            }
            func handle(_ event: PeerEvent, on flow: PeerFlow) {}
        }
        let loop = try DatagramLoop()
        let pair = try await MuxPair.connect(on: loop)
        try await loop.flatSubmit {
            let closed = loop.makePromise(of: Void.self)
            pair.server.handler = Closer(closed)
            pair.client.perform { peer, outbox, now in
                for number in 0..<20 { MuxPair.send(number, ssrc: MuxPair.audio, &peer, outbox, now) }
            }
            return closed.futureResult
        }.get()
        try await pair.close()
        try await loop.shutdownGracefully()
    }
}

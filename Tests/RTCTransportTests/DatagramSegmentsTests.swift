import Glibc
import RTCWire
import Testing

@testable import RTCTransport

/// Datagrams that the kernel has joined.
@Suite struct DatagramSegmentsTests {
    private func ranges(_ length: Int, _ size: Int?) -> [Range<Int>] {
        Array(DatagramSegments(length: length, size: size))
    }

    @Test func theLastOneMayBeShorter() {
        #expect(ranges(2500, 1000) == [0..<1000, 1000..<2000, 2000..<2500])
        #expect(ranges(2000, 1000) == [0..<1000, 1000..<2000])
        #expect(ranges(700, 1000) == [0..<700])
    }

    @Test func withoutASizeItIsOne() {
        #expect(ranges(1200, nil) == [0..<1200] && ranges(1200, 0) == [0..<1200] && ranges(1200, -5) == [0..<1200])
        #expect(ranges(0, nil) == [0..<0] && ranges(0, 1000) == [0..<0])
    }

    /// What leaves as one segmented send comes as the datagrams that it was made of, whether or not the kernel keeps it
    /// together.
    @Test func aSegmentedSendArrivesAsItsDatagrams() throws {
        let sender = try DatagramSocket.bind(host: "127.0.0.1", port: 0, bufferSize: 1 << 20)
        let receiver = try DatagramSocket.bind(host: "127.0.0.1", port: 0, bufferSize: 1 << 20)
        let reading = DatagramReceiver()
        var bytes = (0..<10).flatMap { [UInt8](repeating: UInt8($0), count: $0 == 9 ? 70 : 1100) }
        let outcome = bytes.withUnsafeMutableBytes { bytes in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            return withUnsafeMutablePointer(to: &part) {
                sender.send(
                    UnsafeMutableBufferPointer(start: $0, count: 1),
                    to: RawSocketAddress(receiver.address, forIPv4: true), from: nil, segmentSize: 1100)
            }
        }
        try #require(outcome == .sent)
        var received: [[UInt8]] = []
        var sources: Set<TransportAddress> = []
        while received.count < 10 {
            let count = reading.read(receiver.descriptor)
            try #require(count > 0)
            reading.forEach(count) { bytes, source, control in
                received.append(Array(bytes))
                sources.insert(source)
                #expect(control.realTime != nil)
            }
        }
        #expect(received.map(\.count) == Array(repeating: 1100, count: 9) + [70])
        #expect(received.enumerated().allSatisfy { number, bytes in bytes.allSatisfy { $0 == UInt8(number) } })
        #expect(sources == [sender.address] && reading.read(receiver.descriptor) == 0)
    }
}

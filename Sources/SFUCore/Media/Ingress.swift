import RTCCore
import RTCWire

/// Which producer the lines of one connection feed.
package struct Ingress {
    private var producers: [Producer?] = []

    package init() {}

    /// The producer that is fed by a line.
    package subscript(line line: Int) -> Producer? {
        get { producers.indices.contains(line) ? producers[line] : nil }
        set {
            guard line >= 0, line < Ingress.maximumLines else { return }
            while producers.count <= line { producers.append(nil) }
            producers[line] = newValue
        }
    }

    /// Lines and their producers.
    package var bound: [(line: Int, producer: Producer)] {
        producers.enumerated().compactMap { entry in entry.element.map { (entry.offset, $0) } }
    }

    /// Hands a packet to the producer of its line; false where there is none.
    package func receive(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer) -> Bool {
        guard let producer = self[line: packet.line] else { return false }
        producer.receive(packet, in: buffer)
        return true
    }

    /// Hands a sender report to the producer of that source.
    package func receiveSenderReport(ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32, arrival: Instant) {
        for case let producer? in producers {
            producer.receiveSenderReport(ssrc: ssrc, ntp: ntp, rtpTimestamp: rtpTimestamp, arrival: arrival)
        }
    }

    private static let maximumLines = 1024
}

import RTCWire

/// Which producer the lines of one connection feed.
package struct Ingress {
    private var producers: [ProducerID?] = []

    package init() {}

    /// The producer that is fed by a line.
    package subscript(line line: Int) -> ProducerID? {
        get { producers.indices.contains(line) ? producers[line] : nil }
        set {
            guard line >= 0, line < Ingress.maximumLines else { return }
            while producers.count <= line { producers.append(nil) }
            producers[line] = newValue
        }
    }

    /// Lines and their producers.
    package var bound: [(line: Int, producer: ProducerID)] {
        producers.enumerated().compactMap { entry in entry.element.map { (entry.offset, $0) } }
    }

    private static let maximumLines = 1024
}

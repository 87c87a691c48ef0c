import RTCWire

/// All outgoing sources of a peer, found by their SSRC or that of their retransmissions.
struct SendStreams {
    struct Binding {
        var index: Int
        var isRTX: Bool
    }

    private(set) var streams: [SendStream] = []
    private var bindings: [UInt32: Binding] = [:]
    /// Where the numbering of removed streams stopped: under one SRTP key it must go on, never begin anew.
    private var numbering: [UInt32: UInt16] = [:]

    /// Adds a stream. One whose SSRC is known, or was, goes on with its numbering.
    mutating func add(_ stream: SendStream) {
        if let index = index(ssrc: stream.ssrc) { retire(streams.remove(at: index)) }
        var stream = stream
        stream.nextSequence = numbering.removeValue(forKey: stream.ssrc) ?? stream.nextSequence
        if let rtx = stream.configuration.rtxSSRC {
            stream.nextRTXSequence = numbering.removeValue(forKey: rtx) ?? stream.nextRTXSequence
        }
        streams.append(stream)
        bind()
    }

    mutating func remove(ssrc: UInt32) -> SendStream? {
        guard let index = index(ssrc: ssrc) else { return nil }
        let stream = streams.remove(at: index)
        retire(stream)
        bind()
        return stream
    }

    private mutating func retire(_ stream: SendStream) {
        guard numbering.count < SendStreams.remembered else { return }
        numbering[stream.ssrc] = stream.nextSequence
        if let rtx = stream.configuration.rtxSSRC { numbering[rtx] = stream.nextRTXSequence }
    }

    private static let remembered = 8192

    /// The stream with this primary SSRC.
    func index(ssrc: UInt32) -> Int? {
        guard let binding = bindings[ssrc], !binding.isRTX else { return nil }
        return binding.index
    }

    /// The stream that sends with this SSRC, be it the primary or that of its retransmissions.
    func binding(_ ssrc: UInt32) -> Binding? { bindings[ssrc] }

    /// Changes one stream in place.
    @inline(__always)
    mutating func update<R>(_ index: Int, _ body: (inout SendStream) -> R) -> R { body(&streams[index]) }

    /// A packet has come to the other side.
    func release(_ packet: SentPacketID) {
        if let index = index(ssrc: packet.ssrc) { streams[index].release(packet.sequence) }
    }

    private mutating func bind() {
        bindings.removeAll(keepingCapacity: true)
        for (index, stream) in streams.enumerated() {
            if let rtx = stream.configuration.rtxSSRC { bindings[rtx] = Binding(index: index, isRTX: true) }
        }
        for (index, stream) in streams.enumerated() {
            bindings[stream.ssrc] = Binding(index: index, isRTX: false)
        }
    }
}

import CallBridge
import MediaCore
import RTCCore
import RTCWire

/// A published track as the simulated server has it: who receives it, and its last packets, for those who miss one.
final class FakeTrack {
    static let audioPayloadType: UInt8 = 111
    static let videoPayloadType: UInt8 = 96
    static let rtxPayloadType: UInt8 = 97
    /// Packets that are kept for sending again.
    private static let kept = 512

    /// One receiver's own stream of the track. It keeps the publisher's numbering.
    struct Subscription {
        var ssrc: UInt32
        var rtxSSRC: UInt32
        var line: Int
        var rtxSequence: UInt16 = 0
    }

    /// A packet as it came from the publisher.
    struct Packet {
        var sequence: UInt16
        var timestamp: UInt32
        var marker: Bool
        var level: AudioLevel?
        var payload: [UInt8]
    }

    var info: Track
    let sender: any FakeSender
    let ssrc: UInt32
    let rtxSSRC: UInt32
    /// Of the publisher's link.
    let line: Int
    /// By the receiver's participant id.
    var subscriptions: [String: Subscription] = [:]
    private var cache: [UInt16: Packet] = [:]
    private var order: [UInt16] = []

    init(_ info: Track, _ sender: any FakeSender, ssrc: UInt32, rtxSSRC: UInt32, line: Int) {
        self.info = info
        self.sender = sender
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
        self.line = line
    }

    var kind: StreamKind { info.kind == .audio ? .audio : .video }

    func keep(_ packet: Packet) {
        guard info.kind == .video, cache.updateValue(packet, forKey: packet.sequence) == nil else { return }
        order.append(packet.sequence)
        if order.count > FakeTrack.kept { cache[order.removeFirst()] = nil }
    }

    func kept(_ sequence: UInt16) -> Packet? { cache[sequence] }

    /// The stream as one end sends it.
    static func stream(
        _ kind: StreamKind, ssrc: UInt32, rtxSSRC: UInt32, line: Int, isForwarded: Bool
    ) -> SendStreamConfiguration {
        let isVideo = kind == .video
        return SendStreamConfiguration(
            ssrc: ssrc, rtxSSRC: isVideo ? rtxSSRC : nil,
            payloadType: isVideo ? videoPayloadType : audioPayloadType,
            rtxPayloadType: isVideo ? rtxPayloadType : nil, clockRate: isVideo ? 90_000 : 48_000, kind: kind,
            mid: ShortToken("\(line)"), extensionMap: FakeLink.extensions, cache: isForwarded ? .external : nil)
    }

    /// The stream as the other end expects it.
    static func receiveLine(_ kind: StreamKind, ssrc: UInt32, rtxSSRC: UInt32, line: Int) -> ReceiveMap.Line {
        let isVideo = kind == .video
        let video: [ReceiveMap.Codec] = [
            .init(payloadType: videoPayloadType, clockRate: 90_000, nack: true, pli: true),
            .init(payloadType: rtxPayloadType, clockRate: 90_000, apt: videoPayloadType),
        ]
        return ReceiveMap.Line(
            index: line, kind: kind, mid: ShortToken("\(line)"),
            codecs: isVideo ? video : [.init(payloadType: audioPayloadType, clockRate: 48_000)],
            extensionMap: FakeLink.extensions,
            sources: [.init(ssrc: ssrc, rtxSSRC: isVideo ? rtxSSRC : nil)])
    }
}

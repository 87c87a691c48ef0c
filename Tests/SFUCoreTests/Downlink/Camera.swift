import RTCWire
import SFUCore

/// A camera whose pictures have the sizes that they should have, and say when they were made.
struct Camera {
    struct Packet {
        var header: RTPHeader
        var sequence: Int64
        var payload: [UInt8]
    }

    let number: UInt32
    let producer: ProducerID
    let layers: [Downlink.Layer]
    var consumer: ConsumerID?
    /// Layers whose next picture is a key frame.
    var wantsKey: Set<Int>
    private var asked: [Int: Instant] = [:]
    private var sequences: [Int64]
    private var picture: UInt16 = 0

    init(number: UInt32, producer: ProducerID, layers: [Downlink.Layer]) {
        self.number = number
        self.producer = producer
        self.layers = layers
        wantsKey = Set(layers.indices)
        sequences = layers.map { _ in 100 }
    }

    func ssrc(_ layer: Int) -> UInt32 { number * 100 + UInt32(layer) }

    /// Twice a second at most.
    mutating func askForKeyFrame(_ ssrc: UInt32, _ now: Instant) {
        for layer in layers.indices where self.ssrc(layer) == ssrc {
            if let last = asked[layer], now - last < .milliseconds(500) { continue }
            asked[layer] = now
            wantsKey.insert(layer)
        }
    }

    mutating func shoot(_ now: Instant) -> [(layer: Int, packets: [Packet])] {
        picture = (picture + 1) & 0x7fff
        return layers.indices.map { layer in (layer, shoot(layer, now)) }
    }

    private mutating func shoot(_ layer: Int, _ now: Instant) -> [Packet] {
        let isKey = wantsKey.remove(layer) != nil
        let bytes = isKey ? layers[layer].keyFrameBytes : max(60, Int(layers[layer].bitrate / 8 / 30))
        let count = (bytes + 1099) / 1100
        return (0..<count).map { part in
            var payload = vp8(
                picture, tl0: UInt8(truncatingIfNeeded: picture), key: isKey && part == 0, starts: part == 0)
            payload += [UInt8](repeating: 7, count: max(0, bytes / count - payload.count - 8)) + Camera.bytes(of: now)
            sequences[layer] += 1
            let header = RTPHeader(
                marker: part == count - 1, payloadType: 96,
                sequenceNumber: UInt16(truncatingIfNeeded: sequences[layer]),
                timestamp: UInt32(truncatingIfNeeded: now.nanoseconds / 1000 * 9 / 100), ssrc: ssrc(layer))
            return Packet(header: header, sequence: sequences[layer], payload: payload)
        }
    }

    static func bytes(of now: Instant) -> [UInt8] { withUnsafeBytes(of: now.nanoseconds) { Array($0) } }
}

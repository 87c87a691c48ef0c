import RTCWire

@testable import MediaCore

/// A decoder whose packets say themselves what they decode to: 20 ms of a 200 Hz sine at a phase that follows the
/// sender's time, so that sound in the right order is smooth. Byte 0: 0 sound, 1 silence marker, 2 undecodable.
final class FakeDecoder: PlayoutDecoder {
    let channels = 1
    static let length = 960

    static func packet(_ index: Int, kind: UInt8 = 0, redundancy: Bool = false) -> [UInt8] {
        [kind, redundancy ? 1 : 0] + (0..<8).map { UInt8(truncatingIfNeeded: index >> (8 * $0)) }
    }

    static func inspect(_ packet: UnsafeRawBufferPointer) -> PlayoutPacketInfo? {
        guard packet.count == 10, packet[0] < 3 else { return nil }
        return PlayoutPacketInfo(
            frameCount: length, redundantFrameCount: packet[1] == 1 ? length : 0, isSilenceMarker: packet[0] == 1)
    }

    private static func index(_ packet: UnsafeRawBufferPointer) -> Int {
        (0..<8).reduce(0) { $0 | Int(packet[$1 + 2]) << (8 * $1) }
    }

    /// A packet's worth of the sine. 200 Hz has a period of 240 samples, and 960 is a multiple of that.
    static func sound(_ position: Int) -> Int16 { sine[position % 240] }
    private static let sine: [Int16] = (0..<240).map { step in
        // Bhaskara's approximation; smooth enough, and without a maths library.
        let half = Double(step % 120) / 120
        let value = 16 * half * (1 - half) / (5 - 4 * half * (1 - half))
        return Int16(8_000 * (step < 120 ? value : -value))
    }

    func decode(
        _ packet: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Int16>
    ) throws(CodecError) -> Int {
        guard packet[0] < 2 else { throw .invalidPayload }
        for index in 0..<Self.length { samples[index] = packet[0] == 0 ? Self.sound(index) : 0 }
        return Self.length
    }

    func conceal(into samples: UnsafeMutableBufferPointer<Int16>) throws(CodecError) {
        guard samples.count % 120 == 0 else { throw .invalidArgument }
        samples.update(repeating: 0)
    }

    func recover(
        from packet: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Int16>
    ) throws(CodecError) {
        for index in samples.indices { samples[index] = Self.sound(index) }
    }

    func reset() {}
}

/// A sender, a network and a receiver that pulls, all in virtual time.
struct PlayoutSimulation {
    struct Packet {
        var sequence: Int64
        var timestamp: UInt32
        var arrival: Instant
        var payload: [UInt8]
        var ssrc: UInt32 = 7
    }

    var packets: [Packet] = []
    var pull = 480
    /// Where playing begins relative to the first packet's sending.
    var phase = Interval.milliseconds(3)

    /// Packets every 20 ms of the sender's clock, whose rate is off by `drift`; `delay` gives the time under way of
    /// packet n, nil where it is lost.
    init(
        count: Int, drift: Double = 0, redundancy: Bool = false, firstTimestamp: UInt32 = 4_294_900_000,
        kind: (Int) -> UInt8? = { _ in 0 }, delay: (Int) -> Double?
    ) {
        var sequence: Int64 = 65_000
        for index in 0..<count {
            guard let kind = kind(index) else { continue }
            defer { sequence += 1 }
            guard let delay = delay(index) else { continue }
            let sent = Double(index) * 0.02 / (1 + drift)
            packets.append(
                Packet(
                    sequence: sequence, timestamp: firstTimestamp &+ UInt32(truncatingIfNeeded: index * 960),
                    arrival: .zero + .seconds(1) + .seconds(sent + delay / 1_000),
                    payload: FakeDecoder.packet(index, kind: kind, redundancy: redundancy)))
        }
        packets.sort { $0.arrival < $1.arrival }
    }

    /// Plays everything, `tail` seconds beyond the last arrival, and gives the sound.
    @discardableResult
    func run<Decoder: PlayoutDecoder>(
        _ buffer: AudioJitterBuffer<Decoder>, tail: Double = 0,
        observe: (Instant, AudioPlayoutKind) -> Void = { _, _ in }
    ) -> [Int16] {
        var sound: [Int16] = []
        var frame = [Int16](repeating: 0, count: pull * buffer.channels)
        var next = 0
        var now = Instant.zero + .seconds(1) + phase
        guard let end = packets.last.map({ $0.arrival + .seconds(tail) }) else { return [] }
        while now < end {
            while next < packets.count, packets[next].arrival <= now {
                let packet = packets[next]
                packet.payload.withUnsafeBytes {
                    buffer.insert(
                        $0, timestamp: packet.timestamp, sequence: packet.sequence, ssrc: packet.ssrc,
                        arrival: packet.arrival)
                }
                next += 1
            }
            let kind = frame.withUnsafeMutableBufferPointer { buffer.pull(frames: pull, now: now, into: $0) }
            observe(now, kind)
            if kind != .buffering { sound += frame }
            now += Interval(nanoseconds: Int64(pull) * 62_500 / 3)
        }
        return sound
    }
}

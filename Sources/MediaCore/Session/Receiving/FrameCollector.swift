import RTCWire

/// Pictures of VP9, AV1 and H.264 out of their packets and in order, for who decodes or records them.
///
/// A missing packet is waited for; when it stays away, all is left out up to the next key frame. Bounded in packets and
/// bytes.
struct FrameCollector {
    /// A whole picture.
    struct Picture {
        var payload: [UInt8]
        var timestamp: UInt32
        var isKeyFrame: Bool
        /// Of its first packet, and of the one that came last.
        var arrival: Instant
        var lastArrival: Instant
        var packets: Int
    }

    private struct Packet {
        var sequence: Int64
        var timestamp: UInt32
        var isLast: Bool
        var arrival: Instant
        var payload: [UInt8]
    }

    private static let patience = Interval.milliseconds(500)
    private static let requestInterval = Interval.seconds(1)
    private static let packetLimit = 2_048
    private static let byteLimit = 8 << 20

    let codec: MediaCodec
    private var packets: [Packet] = []
    private var bytes = 0
    /// The packet that begins the next picture; nil while a key frame is waited for.
    private var next: Int64?
    private var lastRequest: Instant?
    /// Whole pictures so far.
    private(set) var pictures = 0

    init(_ codec: MediaCodec) { self.codec = codec }

    /// Takes in a packet; an empty one only fills its place.
    mutating func insert(_ payload: UnsafeRawBufferPointer, _ header: RTPHeader, sequence: Int64, arrival: Instant) {
        if let next, sequence < next { return }
        var index = packets.count
        while index > 0, packets[index - 1].sequence >= sequence {
            if packets[index - 1].sequence == sequence { return }
            index -= 1
        }
        packets.insert(
            Packet(
                sequence: sequence, timestamp: header.timestamp, isLast: header.marker, arrival: arrival,
                payload: Array(payload)), at: index)
        bytes += payload.count
        if packets.count > Self.packetLimit || bytes > Self.byteLimit { giveUp(packets.count) }
    }

    /// The next picture; nil when there is none now.
    mutating func nextPicture(now: Instant) -> Picture? {
        if next == nil { begin() }
        guard let next, let first = packets.first else { return nil }
        guard let count = wholePicture(from: next) else {
            if now - first.arrival > Self.patience { giveUp(0) }
            return nil
        }
        let parts = packets.prefix(count)
        remove(count)
        self.next = next + Int64(count)
        // Padding between pictures.
        guard let start = parts.first(where: { !$0.payload.isEmpty }) else { return nextPicture(now: now) }
        guard let payload = PictureAssembly.join(parts.map(\.payload), codec) else {
            giveUp(0)
            return nil
        }
        pictures += 1
        return Picture(
            payload: payload, timestamp: start.timestamp,
            isKeyFrame: PictureAssembly.startsKeyFrame(start.payload, codec), arrival: start.arrival,
            lastArrival: parts.map(\.arrival).max() ?? start.arrival, packets: count)
    }

    /// A picture could not be decoded: only a key frame helps on.
    mutating func decoderFailed() { next = nil }

    /// True where a key frame is to be asked for now.
    mutating func takeKeyFrameRequest(now: Instant) -> Bool {
        guard next == nil else { return false }
        if let lastRequest, now - lastRequest < Self.requestInterval { return false }
        lastRequest = now
        return true
    }

    /// Packets up to the one that ends the picture; nil where one is missing.
    private func wholePicture(from next: Int64) -> Int? {
        for (index, packet) in packets.enumerated() {
            guard packet.sequence == next + Int64(index) else { return nil }
            // A sender that leaves a spatial layer out may leave the marker out with it: the next picture's time ends it.
            if index > 0, packet.timestamp != packets[0].timestamp { return index }
            if packet.isLast || packet.payload.isEmpty && index == 0 { return index + 1 }
        }
        return nil
    }

    /// Finds the beginning of a key frame.
    private mutating func begin() {
        guard let start = packets.firstIndex(where: { PictureAssembly.startsKeyFrame($0.payload, codec) }) else {
            return remove(max(0, packets.count - Self.packetLimit / 2))
        }
        remove(start)
        next = packets.first?.sequence
    }

    private mutating func giveUp(_ count: Int) {
        remove(count)
        // What waits may hold the next key frame, though not as its own first packet.
        if !packets.isEmpty { remove(1) }
        next = nil
    }

    private mutating func remove(_ count: Int) {
        for packet in packets.prefix(count) { bytes -= packet.payload.count }
        packets.removeFirst(count)
    }
}

/// The payloads of a picture's packets become what a decoder, or a file, takes.
enum PictureAssembly {
    /// Whether decoding may begin with the packet.
    static func startsKeyFrame(_ payload: [UInt8], _ codec: MediaCodec) -> Bool {
        payload.withUnsafeBytes { bytes in
            switch codec {
            case .vp9: (try? VP9PayloadDescriptor(parsing: bytes.bytes))?.startsKeyFrame ?? false
            case .av1: (try? AV1Payload(parsing: bytes.bytes))?.startsKeyFrame ?? false
            case .h264:
                (try? H264Payload(parsing: bytes.bytes)).map { $0.hasParameterSet || $0.startsIDR } ?? false
            case .vp8, .opus: false
            }
        }
    }

    /// Nil where the packets hold no picture.
    static func join(_ payloads: [[UInt8]], _ codec: MediaCodec) -> [UInt8]? {
        let present = payloads.filter { !$0.isEmpty }
        let joined: [UInt8]? =
            switch codec {
            case .vp9: vp9(present)
            case .av1: av1(present)
            case .h264: h264(present)
            case .vp8, .opus: nil
            }
        return joined?.isEmpty == false ? joined : nil
    }

    /// Spatial layers become a superframe, whose index stands at its end (VP9 bitstream specification, annex B).
    private static func vp9(_ payloads: [[UInt8]]) -> [UInt8]? {
        var result: [UInt8] = []
        var sizes: [Int] = []
        for payload in payloads {
            let head = payload.withUnsafeBytes { bytes -> (length: Int, starts: Bool)? in
                guard let descriptor = try? VP9PayloadDescriptor(parsing: bytes.bytes),
                    let length = try? descriptor.encodedLength(in: bytes.bytes)
                else { return nil }
                return (length, descriptor.startsFrame)
            }
            guard let head, head.length < payload.count, head.starts || !sizes.isEmpty else { return nil }
            if head.starts { sizes.append(0) }
            sizes[sizes.count - 1] += payload.count - head.length
            result += payload[head.length...]
        }
        guard sizes.count > 1 else { return result }
        guard sizes.count <= 8 else { return nil }
        let marker = 0b1100_0000 | UInt8(3 << 3) | UInt8(sizes.count - 1)
        result.append(marker)
        for size in sizes { result += (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } }
        result.append(marker)
        return result
    }

    /// NAL units behind start codes (H.264 annex B), out of single units, STAP-A and FU-A (RFC 6184 section 5.2).
    private static func h264(_ payloads: [[UInt8]]) -> [UInt8]? {
        let startCode: [UInt8] = [0, 0, 0, 1]
        var result: [UInt8] = []
        for payload in payloads {
            switch payload[0] & 0x1f {
            case 24:
                var offset = 1
                while offset + 2 < payload.count {
                    let length = Int(payload[offset]) << 8 | Int(payload[offset + 1])
                    guard length > 0, offset + 2 + length <= payload.count else { return nil }
                    result += startCode + payload[(offset + 2)..<(offset + 2 + length)]
                    offset += 2 + length
                }
            case 28:
                guard payload.count > 2 else { return nil }
                if payload[1] & 0x80 != 0 { result += startCode + [payload[0] & 0xe0 | payload[1] & 0x1f] }
                result += payload[2...]
            case 1...23: result += startCode + payload
            default: return nil
            }
        }
        return result
    }

    /// A temporal unit in the low-overhead format: each OBU says its size; delimiters are left out (AV1 in Matroska).
    private static func av1(_ payloads: [[UInt8]]) -> [UInt8]? {
        var units: [[UInt8]] = []
        for payload in payloads {
            guard var elements = av1Elements(payload) else { return nil }
            if payload[0] & 0x80 != 0 {
                guard !elements.isEmpty, !units.isEmpty else { return nil }
                units[units.count - 1] += elements.removeFirst()
            }
            units += elements
        }
        var result: [UInt8] = []
        for unit in units {
            guard let header = unit.first else { continue }
            let (type, hasExtension, hasSize) = (header >> 3 & 0x0f, header & 4 != 0, header & 2 != 0)
            guard type != 2, type != 15 else { continue }
            if hasSize {
                result += unit
                continue
            }
            let headLength = hasExtension ? 2 : 1
            guard unit.count >= headLength else { return nil }
            result.append(header | 2)
            if hasExtension { result.append(unit[1]) }
            result += leb128(unit.count - headLength)
            result += unit[headLength...]
        }
        return result
    }

    /// The OBU elements of a payload; all but the last of `W` tell their length.
    private static func av1Elements(_ payload: [UInt8]) -> [[UInt8]]? {
        let count = Int(payload[0] >> 4 & 3)
        var elements: [[UInt8]] = []
        var offset = 1
        while offset < payload.count {
            var length = payload.count - offset
            if count == 0 || elements.count < count - 1 {
                length = 0
                var shift = 0
                while true {
                    guard offset < payload.count, shift < 28 else { return nil }
                    let byte = payload[offset]
                    offset += 1
                    length |= Int(byte & 0x7f) << shift
                    shift += 7
                    if byte & 0x80 == 0 { break }
                }
                guard length <= payload.count - offset else { return nil }
            }
            elements.append(Array(payload[offset..<(offset + length)]))
            offset += length
        }
        return elements
    }

    private static func leb128(_ value: Int) -> [UInt8] {
        var (rest, result) = (value, [UInt8]())
        repeat {
            result.append(UInt8(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return result
    }
}

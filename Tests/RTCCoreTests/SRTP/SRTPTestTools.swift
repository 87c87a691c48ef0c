import RTCCore
import RTCWire
import Testing

/// A seeded generator (SplitMix64), so that a failure can be repeated.
struct CryptoTestRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// Keys that a test need not care about.
func someKeys(
    _ profile: SRTPProfile, seed: UInt8 = 1, serverSaltLength: Int? = nil
) -> SRTPKeyingMaterial {
    func bytes(_ count: Int, _ start: UInt8) -> [UInt8] { (0..<count).map { UInt8($0) &* 7 &+ start &* seed } }
    return SRTPKeyingMaterial(
        profile: profile, clientKey: bytes(profile.keyLength, 1), clientSalt: bytes(profile.saltLength, 77),
        serverKey: bytes(profile.keyLength, 131), serverSalt: bytes(serverSaltLength ?? profile.saltLength, 201))
}

/// An RTP packet with a 12-byte header.
func sealablePacket(_ sequenceNumber: UInt16, ssrc: UInt32 = 0x1234_5678, payload: Int = 20) -> [UInt8] {
    let header = RTPHeader(
        marker: false, payloadType: 96, sequenceNumber: sequenceNumber,
        timestamp: UInt32(sequenceNumber) &* 960, ssrc: ssrc)
    var bytes = [UInt8](repeating: 0, count: 12)
    bytes[0] = 0x80
    bytes[1] = header.payloadType
    bytes.withUnsafeMutableBytes {
        $0.store(header.sequenceNumber, at: 2)
        $0.store(header.timestamp, at: 4)
        $0.store(header.ssrc, at: 8)
    }
    return bytes + (0..<payload).map { UInt8(truncatingIfNeeded: $0 &+ Int(sequenceNumber)) }
}

/// A receiver report without blocks.
func sealableReport(ssrc: UInt32 = 0x1234_5678, padding: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 0]
    bytes.withUnsafeMutableBytes { $0.store(ssrc, at: 4) }
    return bytes + [UInt8](repeating: 0x5a, count: padding)
}

/// A session behind a reference, since the macros of Testing take copyable values only.
final class SRTPEndpoint {
    private var session: SRTPSession

    init(keys: SRTPKeyingMaterial, role: DTLSRole, backend: SRTPBackend = .libcrypto) throws(CryptoError) {
        session = try SRTPSession(keys: keys, role: role, backend: backend)
    }

    var statistics: SRTPStatistics { session.statistics }

    /// Seals a copy of a packet with room behind it.
    func sealed(_ packet: [UInt8], rtcp: Bool = false, headerLength: Int = 12) -> [UInt8]? {
        var buffer = packet + [UInt8](repeating: 0xee, count: 40)
        let length: Int? = buffer.withUnsafeMutableBytes {
            rtcp
                ? session.protectRTCP($0, length: packet.count)
                : session.protectRTP($0, length: packet.count, payloadOffset: headerLength)
        }
        return length.map { Array(buffer[..<$0]) }
    }

    /// Opens a copy of a packet whose buffer ends where the packet ends.
    func opened(_ packet: [UInt8], rtcp: Bool = false, headerLength: Int = 12) -> [UInt8]? {
        var buffer = packet
        let length: Int? = buffer.withUnsafeMutableBytes {
            rtcp
                ? session.unprotectRTCP($0, length: packet.count)
                : session.unprotectRTP($0, length: packet.count, payloadOffset: headerLength)
        }
        return length.map { Array(buffer[..<$0]) }
    }
}

/// What every backend and profile must do alike.
struct SRTPCombination: Sendable, CustomTestStringConvertible {
    var profile: SRTPProfile
    var sender: SRTPBackend
    var receiver: SRTPBackend

    static let all: [SRTPCombination] = SRTPProfile.allCases.flatMap { profile in
        SRTPBackend.allCases.flatMap { sender in
            SRTPBackend.allCases.map { SRTPCombination(profile: profile, sender: sender, receiver: $0) }
        }
    }

    var testDescription: String { "\(profile) \(sender) -> \(receiver)" }

    func makeSender() throws -> SRTPEndpoint {
        try SRTPEndpoint(keys: someKeys(profile), role: .client, backend: sender)
    }

    func makeReceiver() throws -> SRTPEndpoint {
        try SRTPEndpoint(keys: someKeys(profile), role: .server, backend: receiver)
    }
}

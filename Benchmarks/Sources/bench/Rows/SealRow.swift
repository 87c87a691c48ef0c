import CFloors
import RTCCore

/// P9: sealing one packet of 1,200 bytes, against the same libcrypto calls from C.
enum SealRow {
    private static let packets = 20_000
    private static let length = 1200

    @Sendable static func run(_ settings: BenchSettings) throws -> [Row] {
        var rows: [Row] = []
        for profile in SRTPProfile.preferred {
            let ours = try Sealer(profile, .libcrypto)
            let library = try Sealer(profile, .libsrtp2)
            let floor = FloorSealer(profile)
            let values = try alternate(
                rounds: settings.rounds,
                [{ ours.window(packets) }, { floor.window(packets) }, { library.window(packets) }])
            rows.append(
                .comparison("P9", "seal \(length) B, \(profile.short), libcrypto", values[0], values[1], limit: 1.1))
            rows.append(
                .comparison("P9", "seal \(length) B, \(profile.short), libsrtp2", values[2], values[1], limit: nil))
        }
        return rows
    }

    /// An RTP packet with a header of twelve bytes.
    private static func packet() -> UnsafeMutableRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 64)
        buffer.initializeMemory(as: UInt8.self, repeating: 0x5a)
        buffer.storeBytes(of: UInt32(0x8060_0000).bigEndian, as: UInt32.self)
        return buffer
    }

    private final class Sealer {
        private var session: SRTPSession
        private let buffer = SealRow.packet()
        private var sequence: UInt16 = 0

        init(_ profile: SRTPProfile, _ backend: SRTPBackend) throws {
            func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) } }
            let keys = SRTPKeyingMaterial(
                profile: profile, clientKey: bytes(profile.keyLength), clientSalt: bytes(profile.saltLength),
                serverKey: bytes(profile.keyLength), serverSalt: bytes(profile.saltLength))
            session = try SRTPSession(keys: keys, role: .client, backend: backend)
        }

        deinit { buffer.deallocate() }

        /// Nanoseconds of CPU per packet.
        func window(_ count: Int) -> Double {
            let spent = CPUClock.measure {
                for _ in 0..<count {
                    sequence &+= 1
                    buffer.storeBytes(of: sequence.bigEndian, toByteOffset: 2, as: UInt16.self)
                    _ = session.protectRTP(buffer, length: SealRow.length, payloadOffset: 12)
                }
            }
            return Double(spent) / Double(count)
        }
    }

    private final class FloorSealer {
        private let cipher: FloorCipher
        private let buffer = SealRow.packet()

        init(_ profile: SRTPProfile) { cipher = FloorCipher(profile, encrypts: true) }

        deinit { buffer.deallocate() }

        func window(_ count: Int) -> Double {
            let spent = CPUClock.measure { cipher.sealMany(buffer, length: SealRow.length, count: count) }
            return Double(spent) / Double(count)
        }
    }
}

extension Row {
    fileprivate static func comparison(
        _ id: String, _ what: String, _ ours: [Double], _ reference: [Double], limit: Double?
    ) -> Row {
        comparison(id, what, ours: ours, reference: reference, limit: limit) { "\($0.fixed(0)) ns" }
    }
}

extension SRTPProfile {
    /// As the table names it.
    var short: String { self == .aes128CMSHA1_80 ? "AES-CM-SHA1" : "AES-GCM" }
}

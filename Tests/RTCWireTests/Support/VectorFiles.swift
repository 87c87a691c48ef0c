import Foundation

/// The files of Tests/Vectors: recorded sessions of real stacks and what their README says of them.
enum VectorFiles {
    /// The folder, also where this source file is reached through a symbolic link.
    static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors")

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    static func json<T: Decodable>(_ name: String, as type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: Data(contentsOf: folder.appendingPathComponent(name)))
    }
}

/// One datagram of a capture.
struct CapturedDatagram {
    /// Of the IPv4 header.
    var sourceAddress: [UInt8]
    var sourcePort: UInt16
    var destinationPort: UInt16
    var payload: [UInt8]

    /// In the decrypted captures, side A (the offerer, which sends the media) has port 40001 and B 40002.
    var isFromA: Bool { sourcePort == 40001 }
}

/// A reader of classic pcap files: little endian, LINKTYPE_RAW, IPv4 and UDP.
enum Pcap {
    struct Malformed: Error { var reason: String }

    static func read(_ name: String) throws -> [CapturedDatagram] {
        let file = try VectorFiles.bytes(name)
        func little32(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
        func big16(_ at: Int) -> UInt16 { UInt16(file[at]) << 8 | UInt16(file[at + 1]) }
        guard file.count >= 24, little32(0) == 0xa1b2_c3d4, little32(20) == 101 else {
            throw Malformed(reason: "\(name) is no little-endian raw IP capture")
        }
        var datagrams: [CapturedDatagram] = []
        var offset = 24
        while offset + 16 <= file.count {
            let packet = offset + 16
            let end = packet + little32(offset + 8)
            guard end <= file.count, end >= packet + 28, file[packet] == 0x45, file[packet + 9] == 17 else {
                throw Malformed(reason: "\(name): no IPv4 UDP datagram at \(offset)")
            }
            datagrams.append(
                CapturedDatagram(
                    sourceAddress: Array(file[(packet + 12)..<(packet + 16)]), sourcePort: big16(packet + 20),
                    destinationPort: big16(packet + 22),
                    payload: Array(file[(packet + 28)..<end])))
            offset = end
        }
        return datagrams
    }
}

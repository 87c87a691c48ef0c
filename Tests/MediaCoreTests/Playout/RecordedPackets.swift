import Foundation
import RTCWire

/// The RTP packets of recorded sessions in `Tests/Vectors` (classic pcap, raw IPv4, UDP).
enum RecordedPackets {
    struct Datagram {
        var arrival: Instant
        var bytes: [UInt8]
    }

    /// Those that came from the offering side.
    static func read(_ name: String) throws -> [Datagram] {
        let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = [UInt8](try Data(contentsOf: folder.appendingPathComponent("Vectors/\(name).rtp.pcap")))
        func word(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) } }
        var datagrams: [Datagram] = []
        var offset = 24
        while offset + 16 <= file.count {
            let length = word(offset + 8)
            let arrival = Instant.zero + .seconds(word(offset)) + .microseconds(word(offset + 4))
            let packet = file[(offset + 16)..<(offset + 16 + length)]
            offset += 16 + length
            let port = Int(packet[packet.startIndex + 20]) << 8 | Int(packet[packet.startIndex + 21])
            let bytes = Array(packet.dropFirst(28))
            if port == 40_001, !(192...223).contains(bytes[1]) {
                datagrams.append(Datagram(arrival: arrival, bytes: bytes))
            }
        }
        return datagrams
    }
}

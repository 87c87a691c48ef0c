import RTCWire

/// The name that stands for a host address which the other side keeps to itself: a version 4 UUID and `.local`, and nothing
/// else (draft-ietf-mmusic-mdns-ice-candidates-03 section 3.1.1). Others are not looked up: a stranger must not have us ask
/// the local network for its printers.
package struct HiddenHostName: Sendable, Hashable {
    package let name: DNSName

    /// - Parameter host: as a candidate has it.
    package init?(_ host: String) {
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, HiddenHostName.isRandomUUID(Array(parts[0])), let name = DNSName(host),
            name.labels[1] == HiddenHostName.local
        else { return nil }
        self.name = name
    }

    /// As the candidate had it, in lower case.
    package var text: String { name.labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".") }

    /// RFC 9562 section 5.4: `xxxxxxxx-xxxx-4xxx-[89ab]xxx-xxxxxxxxxxxx`.
    private static func isRandomUUID(_ text: [UInt8]) -> Bool {
        guard text.count == 36 else { return false }
        for (index, byte) in text.enumerated() {
            switch index {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
            case 14: guard byte == UInt8(ascii: "4") else { return false }
            case 19: guard "89abAB".utf8.contains(byte) else { return false }
            default: guard isHexadecimal(byte) else { return false }
            }
        }
        return true
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    private static let local = Array("local".utf8)
}

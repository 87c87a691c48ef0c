/// A frame of the message transport, one to a binary WebSocket message; all numbers are big-endian:
/// ```
///  u32 length of the rest   2 zero bytes   u8 kind
///  u8 count of addresses, each: u16 length, UTF-8
///  u8 count of headers, each: u16 length, name, u16 length, value
///  payload, UTF-8
/// ```
package struct RumorFrame: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case subscribe = 0
        case unsubscribe = 1
        case message = 2
        case connect = 3
        case disconnect = 4
        case ping = 7
        case pong = 8
        case status = 9
    }

    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package static let largestAddressCount = 16
    package static let largestHeaderCount = 32
    /// Bytes of an address or of a header's name.
    package static let longestName = 512

    package var kind: Kind
    /// Topics, or whom a message is for.
    package var addresses: [String]
    package var headers: [Header]
    package var payload: [UInt8]

    package init(_ kind: Kind, addresses: [String] = [], headers: [Header] = [], payload: [UInt8] = []) {
        self.kind = kind
        self.addresses = addresses
        self.headers = headers
        self.payload = payload
    }

    /// The first header of that name; case counts.
    package subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Why bytes are no frame, or a frame can't be written or taken.
package enum RumorFault: Error, Hashable, CustomStringConvertible {
    case frameTooLong(bytes: Int, limit: Int)
    case truncated
    case reserved
    case unknownKind(UInt8)
    case tooManyAddresses
    case tooManyHeaders
    case nameTooLong
    case valueTooLong
    case text
    /// Messages that wait for their acknowledgement are too many or too long.
    case backlogFull

    package var description: String {
        switch self {
        case .frameTooLong(let bytes, let limit): "frame: \(bytes) bytes; send at most \(limit)"
        case .truncated: "frame: a field is longer than the frame; send whole frames, one to a message"
        case .reserved: "frame: the two bytes behind the length must be zero"
        case .unknownKind(let kind): "frame: there is no kind \(kind); use 0 to 4 and 7 to 9"
        case .tooManyAddresses: "frame: send at most \(RumorFrame.largestAddressCount) addresses"
        case .tooManyHeaders: "frame: send at most \(RumorFrame.largestHeaderCount) headers"
        case .nameTooLong: "frame: send addresses, names and transactions of at most \(RumorFrame.longestName) bytes"
        case .valueTooLong: "frame: send header values of at most 65535 bytes"
        case .text: "frame: an address or a header is no UTF-8"
        case .backlogFull: "channel: too much waits for its acknowledgement; wait for some"
        }
    }
}

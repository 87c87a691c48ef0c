/// The class of a STUN message, RFC 8489 section 5.
public enum STUNClass: UInt8, Hashable, Sendable, CaseIterable {
    case request, indication, success, error
}

/// A STUN method, 12 bits.
public struct STUNMethod: RawRepresentable, Hashable, Sendable {
    /// As on the wire, 12 bits.
    public var rawValue: UInt16
    /// The method of that number; bits above the twelfth are dropped.
    public init(rawValue: UInt16) { self.rawValue = rawValue & 0x0fff }

    /// RFC 8489 section 3.
    package static let binding = STUNMethod(rawValue: 0x001)
    /// TURN, RFC 8656 section 17.
    package static let allocate = STUNMethod(rawValue: 0x003)
    package static let refresh = STUNMethod(rawValue: 0x004)
    package static let send = STUNMethod(rawValue: 0x006)
    package static let data = STUNMethod(rawValue: 0x007)
    package static let createPermission = STUNMethod(rawValue: 0x008)
    package static let channelBind = STUNMethod(rawValue: 0x009)
}

/// The 96 bits that tie a response to its request.
public struct STUNTransactionID: Hashable, Sendable {
    /// The first four bytes, big-endian.
    package var high: UInt32
    /// The last eight bytes, big-endian.
    package var low: UInt64

    package init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// Attribute types: RFC 8489 section 18.3, ICE (RFC 8445 section 16.1), TURN (RFC 8656 section 18).
///
/// Types below 0x8000 must be understood or the request refused with error 420.
public struct STUNAttribute: RawRepresentable, Hashable, Sendable {
    /// As on the wire.
    public var rawValue: UInt16
    /// The attribute type of that number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let mappedAddress = STUNAttribute(rawValue: 0x0001)
    package static let username = STUNAttribute(rawValue: 0x0006)
    package static let messageIntegrity = STUNAttribute(rawValue: 0x0008)
    package static let errorCode = STUNAttribute(rawValue: 0x0009)
    package static let unknownAttributes = STUNAttribute(rawValue: 0x000A)
    package static let channelNumber = STUNAttribute(rawValue: 0x000C)
    package static let lifetime = STUNAttribute(rawValue: 0x000D)
    package static let xorPeerAddress = STUNAttribute(rawValue: 0x0012)
    package static let data = STUNAttribute(rawValue: 0x0013)
    package static let realm = STUNAttribute(rawValue: 0x0014)
    package static let nonce = STUNAttribute(rawValue: 0x0015)
    package static let xorRelayedAddress = STUNAttribute(rawValue: 0x0016)
    package static let requestedTransport = STUNAttribute(rawValue: 0x0019)
    package static let messageIntegritySHA256 = STUNAttribute(rawValue: 0x001C)
    package static let xorMappedAddress = STUNAttribute(rawValue: 0x0020)
    package static let priority = STUNAttribute(rawValue: 0x0024)
    package static let useCandidate = STUNAttribute(rawValue: 0x0025)
    package static let alternateServer = STUNAttribute(rawValue: 0x8023)
    package static let software = STUNAttribute(rawValue: 0x8022)
    package static let fingerprint = STUNAttribute(rawValue: 0x8028)
    package static let iceControlled = STUNAttribute(rawValue: 0x8029)
    package static let iceControlling = STUNAttribute(rawValue: 0x802A)
    /// libwebrtc's GOOG-NETWORK-INFO: network id and cost; read by nobody here.
    package static let networkInfo = STUNAttribute(rawValue: 0xC057)

    /// Whether a receiver that doesn't know this type must refuse the request.
    package var isComprehensionRequired: Bool { rawValue < 0x8000 }

    /// Whether this type is one of those above, so that a request with it isn't refused.
    package var isKnown: Bool {
        switch rawValue {
        case 0x0001, 0x0006, 0x0008, 0x0009, 0x000A, 0x000C, 0x000D, 0x0012...0x0016, 0x0019, 0x001C, 0x0020, 0x0024,
            0x0025:
            true
        default: self == .software || self == .fingerprint || self == .iceControlled || self == .iceControlling
        }
    }
}

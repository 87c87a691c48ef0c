import OpenTokSignalling

/// What the session's state says of ourselves, and holds for all that we do later.
struct OwnConnection: Sendable {
    var permissions: OpenTokPermissions = []
    var iceServers: [RaptorICEServer] = []
    /// Force mute of the session, while it is active.
    var forceMute: ForceMute?

    /// Streams that are published now start without sound.
    func isMuted(newStream id: String) -> Bool {
        guard let forceMute, forceMute.isActive else { return false }
        return !forceMute.excludedStreams.contains(id)
    }

    /// Throws where our role does not allow it.
    func require(
        _ permission: OpenTokPermissions, _ code: ClientErrorCode, _ what: String
    ) throws(ClientError) {
        guard !permissions.contains(permission) else { return }
        throw ClientError(code, "the token's role does not allow to \(what); use a token of another role")
    }
}

extension SignalContent {
    /// Throws where it is longer than a signal may be, or has a type that is none.
    func check() throws(ClientError) {
        if let type {
            guard type.utf8.count <= Self.longestType, type.utf8.allSatisfy(Self.isAllowed) else {
                throw ClientError(
                    .invalidSignalType,
                    "a signal's type has at most \(Self.longestType) letters, digits, -, _ and ~; this one has "
                        + "\(type.utf8.count) bytes")
            }
        }
        guard (data?.utf8.count ?? 0) <= Self.longestData else {
            throw ClientError(
                .signalDataTooLong,
                "a signal has at most \(Self.longestData) bytes, and this one \(data?.utf8.count ?? 0); send several")
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

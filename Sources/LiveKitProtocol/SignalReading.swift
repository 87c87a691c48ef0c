/// Reads what signalling clients send, before anything of it is believed.
package enum SignalReading {
    /// Most bytes of a join request, before and after decompression.
    package static let largestJoinRequest = 1 << 20

    /// A message in a binary frame. Throws where it is no protobuf, or `SignalBounds.Fault` where it is longer than its
    /// kind may be. Unknown fields are dropped: parts of requests go on to others, who have not asked for them.
    ///
    /// - Parameter metadata: bytes that name, metadata and attributes of a participant may have together.
    package static func request(
        binary bytes: [UInt8], metadata: Int = 1 << 20
    ) throws -> Livekit_SignalRequest {
        try SignalBounds.check(bytes, metadata: metadata)
        return try Livekit_SignalRequest(knownBytes: bytes)
    }

    /// A message in a text frame. Throws where it is no protobuf JSON, or too long; unknown fields are ignored.
    package static func request(text: String) throws -> Livekit_SignalRequest {
        guard text.utf8.count <= SignalBounds.text else {
            throw SignalBounds.Fault.tooLong(bytes: text.utf8.count, limit: SignalBounds.text)
        }
        return try Livekit_SignalRequest(wireJSON: text)
    }

    /// The `join_request` of `/rtc/v1`: base64 of a WrappedJoinRequest, whose content may be gzip'ed; nil for anything
    /// else.
    package static func joinRequest(_ text: String) -> Livekit_JoinRequest? {
        // A blank was a plus sign that its sender did not escape.
        Base64.decode(text.replacing(" ", with: "+")).flatMap(joinRequest(wrapped:))
    }

    /// The bytes of a WrappedJoinRequest.
    package static func joinRequest(wrapped bytes: [UInt8]) -> Livekit_JoinRequest? {
        guard let wrapped = try? Livekit_WrappedJoinRequest(wireBytes: bytes) else { return nil }
        var content = Array(wrapped.joinRequest)
        guard content.count <= largestJoinRequest else { return nil }
        if wrapped.compression == .gzip {
            guard let plain = try? Gzip.decompress(content, limit: largestJoinRequest) else { return nil }
            content = plain
        }
        return try? Livekit_JoinRequest(knownBytes: content)
    }
}

import RTCWire

/// Parses `bytes` as an RTP header.
func rtpHeader(_ bytes: [UInt8]) throws(WireError) -> RTPHeader {
    try withSpan(bytes) { span throws(WireError) in try RTPHeader(parsing: span) }
}

/// Parses `bytes` as an RTCP datagram.
func compound(_ bytes: [UInt8]) throws(WireError) -> RTCPCompound {
    try withSpan(bytes) { span throws(WireError) in try RTCPCompound(parsing: span) }
}

/// Parses `bytes` as a STUN message.
func stunMessage(_ bytes: [UInt8]) throws(WireError) -> STUNMessage {
    try withSpan(bytes) { span throws(WireError) in try STUNMessage(parsing: span) }
}

/// Parses `bytes` as a VP8 payload descriptor.
func vp8Descriptor(_ bytes: [UInt8]) throws(WireError) -> VP8PayloadDescriptor {
    try withSpan(bytes) { span throws(WireError) in try VP8PayloadDescriptor(parsing: span) }
}

/// Parses `bytes` as an Opus payload.
func opusPayload(_ bytes: [UInt8]) throws(WireError) -> OpusPayload {
    try withSpan(bytes) { span throws(WireError) in try OpusPayload(parsing: span) }
}

// `#expect` can't take a call that is given a span: these take the bytes.

extension STUNMessage {
    func username(in bytes: [UInt8]) -> String? { withSpan(bytes) { usernameText(in: $0) } }
    func fingerprintHolds(in bytes: [UInt8]) -> Bool { withSpan(bytes) { hasValidFingerprint(in: $0) } }
    func integrityHolds(in bytes: [UInt8], _ authenticate: Authenticator) -> Bool {
        withSpan(bytes) { hasValidIntegrity(in: $0, authenticate: authenticate) }
    }
    func value(of type: STUNAttribute, in bytes: [UInt8]) -> [UInt8]? {
        withSpan(bytes) { range(of: type, in: $0) }.map { Array(bytes[$0]) }
    }
}

extension RTPHeader {
    func source(_ index: Int, in bytes: [UInt8]) -> UInt32? { withSpan(bytes) { contributingSource(index, in: $0) } }
    func extensions(in bytes: [UInt8], _ map: RTPExtensionMap) -> RTPExtensions {
        withSpan(bytes) { RTPExtensions(parsing: $0, header: self, map: map) }
    }
}

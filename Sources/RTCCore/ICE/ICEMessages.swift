import RTCWire

// The STUN messages that the agent sends, RFC 8445 section 7.1.

extension ICEAgent {
    /// Largest of them: header, a USERNAME of 513 bytes and the fixed attributes.
    static let messageCapacity = 640

    /// Writes a check of `local`, or a consent check, into the outbox.
    func sendRequest(
        _ check: ConnectivityCheck, from local: LocalCandidate, to remote: TransportAddress,
        _ generation: ICEGeneration, into outbox: DatagramOutbox
    ) {
        guard let key = generation.remoteKey else { return }
        var builder = STUNMessageBuilder.bindingRequest(
            check.transactionID, into: outbox.reserve(ICEAgent.messageCapacity))
        builder.add(.username, generation.outgoingUsername)
        builder.add(.priority, local.peerReflexivePriority)
        builder.add(check.role == .controlling ? .iceControlling : .iceControlled, tieBreaker)
        if check.useCandidate { builder.add(.useCandidate) }
        commit(&builder, key, to: remote, path: local.path, into: outbox)
    }

    /// Answers a request whose integrity holds: its source address, XORed.
    mutating func sendSuccess(
        _ request: STUNMessage, to source: TransportAddress, path: UInt8, _ generation: ICEGeneration,
        into outbox: DatagramOutbox
    ) {
        statistics.responsesSent += 1
        var builder = STUNMessageBuilder(
            .success, .binding, request.transactionID, into: outbox.reserve(ICEAgent.messageCapacity))
        builder.addXOR(.xorMappedAddress, source)
        commit(&builder, generation.localKey, to: source, path: path, into: outbox)
    }

    /// Refuses a request whose integrity holds.
    mutating func sendError(
        _ code: UInt16, _ reason: String, _ request: STUNMessage, to source: TransportAddress, path: UInt8,
        _ generation: ICEGeneration, into outbox: DatagramOutbox
    ) {
        statistics.errorsSent += 1
        var builder = STUNMessageBuilder(
            .error, .binding, request.transactionID, into: outbox.reserve(ICEAgent.messageCapacity))
        builder.addErrorCode(code, reason: reason)
        if code == 420 { builder.addUnknownAttributes(of: request) }
        commit(&builder, generation.localKey, to: source, path: path, into: outbox)
    }

    private func commit(
        _ builder: inout STUNMessageBuilder, _ key: HMACSHA1, to destination: TransportAddress, path: UInt8,
        into outbox: DatagramOutbox
    ) {
        builder.addIntegrity { key.authenticate($0, into: $1) }
        builder.addFingerprint()
        let length = builder.finish()
        if length > 0 { outbox.commit(length, to: destination, path: path) }
    }
}

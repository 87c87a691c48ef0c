import CallBridge
import LiveKitProtocol

/// A request about ourselves that waits for the server's word.
struct PendingRequest {
    var change: OwnProfile.Change
    /// Resumed with nil where the server has taken it.
    var continuation: CheckedContinuation<CallError?, Never>
}

/// Our own name, metadata and attributes.
extension LiveKitSession {
    func setMetadata(_ metadata: String) async throws { try await change(.metadata(metadata)) }
    func setName(_ name: String) async throws { try await change(.name(name)) }
    func setAttributes(_ attributes: [String: String]) async throws { try await change(.attributes(attributes)) }

    private func change(_ change: OwnProfile.Change) async throws {
        try await untilConnected()
        let number = nextRequest
        nextRequest &+= 1
        let limit = timeouts.request
        let watchdog = Task { [weak self, clock] in
            try await clock.wait(seconds: limit)
            await self?.settleRequest(
                number,
                CallError(.provider, .unreachable, "the server did not answer the request within \(Int(limit)) s"))
        }
        defer { watchdog.cancel() }
        let message = OwnProfile.request(change, to: local, number: number)
        let error = await withCheckedContinuation { continuation in
            pendingRequests[number] = PendingRequest(change: change, continuation: continuation)
            send { $0.updateMetadata = message }
        }
        if let error { throw error }
        profile.apply(change)
    }

    /// The server's word on a request. Old servers are silent where all is well, and show the change instead.
    func handleResponse(_ response: Livekit_RequestResponse) {
        if response.reason != .ok, response.reason != .queued, case .addTrack(let request) = response.request {
            refusePublication(request.cid, "the server refused the track: \(response.words)")
        }
        switch response.reason {
        case .queued: break
        case .ok: settleRequest(response.requestID, nil)
        default:
            settleRequest(
                response.requestID,
                CallError(.provider, .providerRefused, "the server refused the request: \(response.words)"))
        }
    }

    /// Ends the requests whose change the server shows by now.
    func settleRequests() {
        for (number, pending) in pendingRequests where OwnProfile.shows(local, pending.change) {
            settleRequest(number, nil)
        }
    }

    private func settleRequest(_ number: UInt32, _ error: CallError?) {
        pendingRequests.removeValue(forKey: number)?.continuation.resume(returning: error)
    }

    /// Tells a new session what we had told the old one.
    func restoreProfile() {
        guard let request = profile.restoration(of: local) else { return }
        send { $0.updateMetadata = request }
    }
}

extension Livekit_RequestResponse {
    /// The reason in words, and what the server says beyond.
    fileprivate var words: String {
        let reason =
            switch self.reason {
            case .notFound: "not found"
            case .notAllowed: "not allowed"
            case .limitExceeded: "a limit is exceeded"
            case .unsupportedType: "the type is not supported"
            case .invalidHandle, .duplicateHandle: "the handle is not usable"
            case .invalidName, .duplicateName: "the name is not usable"
            case .invalidRequest: "the request is not valid"
            case .ok, .queued, .unclassifiedError, .UNRECOGNIZED: "an error"
            }
        return message.isEmpty ? reason : "\(reason) (\(message))"
    }
}

import RTCWire

/// Resetting streams, RFC 6525 section 5: at most one request of ours at a time, and the answers to the other side's.
struct StreamReset {
    /// A request that waits for its answer.
    private struct Pending {
        var request: OutgoingResetRequest
        /// The other side asked to be asked again later.
        var isDeferred = false
    }

    /// Streams that are to be reset once everything on them has been sent.
    private(set) var wanted: [UInt16] = []
    private var isWanted = Set<UInt16>()
    private var pending: Pending?
    private var nextRequest: UInt32
    /// The other side's request that was done last, and what we said.
    private var lastPeerRequest: UInt32
    private var lastResult = ReconfigResponse.Result.nothingToDo
    /// A request of the other side that waits for data that is still under way.
    private var awaited: (tsn: Int64, streams: [UInt16])?

    init(initialTSN: UInt32, peerInitialTSN: UInt32) {
        nextRequest = initialTSN
        lastPeerRequest = peerInitialTSN &- 1
    }

    // MARK: Ours

    var isWaiting: Bool { pending != nil }

    mutating func want(_ stream: UInt16) {
        if isWanted.insert(stream).inserted { wanted.append(stream) }
    }

    /// The request to send now, with those wanted streams for which `isDrained` holds; nil where there is none.
    mutating func begin(lastTSN: UInt32, limit: Int, isDrained: (UInt16) -> Bool) -> OutgoingResetRequest? {
        guard pending == nil else { return nil }
        let streams = Array(wanted.filter(isDrained).prefix(limit))
        guard !streams.isEmpty else { return nil }
        isWanted.subtract(streams)
        wanted.removeAll { !isWanted.contains($0) }
        let request = OutgoingResetRequest(
            requestSequence: nextRequest, responseSequence: lastPeerRequest, lastAssignedTSN: lastTSN,
            streams: streams)
        nextRequest &+= 1
        pending = Pending(request: request)
        return request
    }

    /// The request to send again; a deferred one gets a new number, for the old one has been answered.
    mutating func retry() -> OutgoingResetRequest? {
        guard var again = pending else { return nil }
        if again.isDeferred {
            again.request.requestSequence = nextRequest
            nextRequest &+= 1
            again.isDeferred = false
        }
        pending = again
        return again.request
    }

    enum Answer: Hashable {
        case unknown
        case deferred
        case done([UInt16])
        case refused([UInt16])
    }

    mutating func answered(_ response: ReconfigResponse) -> Answer {
        guard let request = pending?.request, request.requestSequence == response.responseSequence else {
            return .unknown
        }
        switch response.result {
        case .nothingToDo, .performed:
            pending = nil
            return .done(request.streams)
        case .inProgress, .alreadyInProgress:
            pending?.isDeferred = true
            return .deferred
        case .denied, .wrongSSN, .badSequenceNumber:
            pending = nil
            return .refused(request.streams)
        }
    }

    // MARK: Theirs

    /// Judges a request by its number: the answer where it has been given already, nil where the request is new.
    private mutating func repeated(_ sequence: UInt32) -> ReconfigResponse? {
        if sequence == lastPeerRequest, lastResult != .inProgress {
            return ReconfigResponse(responseSequence: sequence, result: lastResult)
        }
        guard sequence == lastPeerRequest &+ 1 || sequence == lastPeerRequest else {
            return ReconfigResponse(responseSequence: sequence, result: .badSequenceNumber)
        }
        return nil
    }

    /// - Returns: our answer, and the streams to reset at once.
    mutating func handle(
        _ request: OutgoingResetRequest, tracker: ReceiveTracker
    ) -> (response: ReconfigResponse, reset: [UInt16]?) {
        if let known = repeated(request.requestSequence) { return (known, nil) }
        let isRepeated = request.requestSequence == lastPeerRequest
        // Asked again about a reset that has happened since.
        let isDone = lastResult == .inProgress && awaited == nil && request.streams == lastStreams
        lastPeerRequest = request.requestSequence
        lastStreams = request.streams
        let tsn = tracker.unwrap(request.lastAssignedTSN)
        if isDone {
            lastResult = .performed
        } else if tsn > tracker.cumulative {
            lastResult = .inProgress
            if !isRepeated || awaited == nil { awaited = (tsn, request.streams) }
        } else {
            lastResult = .performed
            awaited = nil
        }
        let response = ReconfigResponse(responseSequence: request.requestSequence, result: lastResult)
        return (response, lastResult == .performed && !isDone ? request.streams : nil)
    }

    private var lastStreams: [UInt16] = []

    /// A request of another kind: answered once, by a verdict of ours.
    mutating func answer(_ sequence: UInt32, _ result: ReconfigResponse.Result) -> (ReconfigResponse, isNew: Bool) {
        if let known = repeated(sequence) { return (known, false) }
        lastPeerRequest = sequence
        lastResult = result
        return (ReconfigResponse(responseSequence: sequence, result: result), true)
    }

    /// The data that a reset waited for has come: the streams to reset now.
    mutating func arrived(_ cumulative: Int64) -> [UInt16]? {
        guard let due = awaited, due.tsn <= cumulative else { return nil }
        awaited = nil
        return due.streams
    }
}

/// Why somebody is in a room no more.
package enum DepartureReason: String, Sendable, Hashable, CaseIterable {
    /// The client said goodbye.
    case left
    /// The client said goodbye, for a reason of its own.
    case unavailable, rejected, agentFailed
    /// The same identity has come anew.
    case replaced
    /// Somebody with the right to do so sent it away.
    case removed
    /// The room was ended.
    case roomEnded
    /// The server ends.
    case serverStopped
    /// It goes on elsewhere.
    case moved
    /// The signalling connection was lost and has not come back.
    case signallingLost
    /// The media path was lost and has not come back.
    case mediaLost
    /// Its media was never connected.
    case neverConnected
    /// What client and server take for true can't be reconciled, or the client broke the rules of its dialect.
    case outOfStep
}

/// Why a track is published no more.
package enum UnpublishReason: String, Sendable, Hashable, CaseIterable {
    /// The publisher has ended it.
    case ended
    /// The publisher may not publish it any more.
    case notAllowed
    /// Somebody with the right to do so ended it.
    case removed
}

/// Counters of one agent since it was made.
package struct ICEStatistics: Sendable, Hashable {
    /// Checks sent for the first time, with triggered and nominating ones; without consent.
    package var checksSent: UInt64 = 0
    package var checksRetransmitted: UInt64 = 0
    package var checksAnswered: UInt64 = 0
    package var consentChecksSent: UInt64 = 0
    package var consentChecksAnswered: UInt64 = 0
    /// Checks of any kind that were answered, by whoever has the other side's password.
    package var answered: UInt64 { checksAnswered &+ consentChecksAnswered }
    /// Requests of the other side whose integrity held.
    package var requestsReceived: UInt64 = 0
    package var responsesSent: UInt64 = 0
    /// Error responses (400, 420, 487); only to authenticated requests.
    package var errorsSent: UInt64 = 0
    package var roleConflicts: UInt64 = 0
    package var restarts: UInt64 = 0
    package var selections: UInt64 = 0

    /// Not a STUN binding message, or an attribute of it is malformed.
    package var malformed: UInt64 = 0
    package var fingerprintMismatches: UInt64 = 0
    /// The user name is none of ours, or missing.
    package var usernameMismatches: UInt64 = 0
    package var integrityFailures: UInt64 = 0
    /// Responses to no request of ours, or that came too late.
    package var unmatchedResponses: UInt64 = 0
    /// Responses from another address than the request was sent to.
    package var asymmetricResponses: UInt64 = 0
    /// Datagrams for a base that no local candidate has.
    package var unknownBases: UInt64 = 0
    /// Binding indications and other messages that ask for nothing.
    package var indications: UInt64 = 0

    /// Remote candidates by why they were not used.
    package var ignoredCandidates = IgnoredCandidates()
    /// Pairs not formed, or given up, because of the bound.
    package var pairsDropped: UInt64 = 0

    package init() {}

    package struct IgnoredCandidates: Sendable, Hashable {
        /// Unknown transports and kinds of TCP candidates.
        package var transport: UInt64 = 0
        /// `.local` and other names.
        package var hostName: UInt64 = 0
        /// Components other than 1.
        package var component: UInt64 = 0
        /// Unspecified, multicast or port-0 addresses.
        package var unusableAddress: UInt64 = 0
        /// Of another ICE generation.
        package var generation: UInt64 = 0
        /// Beyond the bound.
        package var limit: UInt64 = 0
        package var duplicate: UInt64 = 0

        package init() {}
    }
}

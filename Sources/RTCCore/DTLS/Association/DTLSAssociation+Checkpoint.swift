// For tests, which attack one state many times.
extension DTLSAssociation {
    /// The association as it stands, once more. No driver may have two: both would seal under the same numbers.
    borrowing func copied() -> DTLSAssociation { DTLSAssociation(copying: self) }

    private init(copying other: borrowing DTLSAssociation) {
        role = other.role
        mtu = other.mtu
        state = other.state
        srtpKeys = other.srtpKeys
        droppedRecords = other.droppedRecords
        records = other.records
        handshake = DTLSAssociation.copy(of: other.handshake)
        early = other.early
        lastFlight = other.lastFlight
        expectedFingerprint = other.expectedFingerprint
        unjudged = other.unjudged
        contradictions = other.contradictions
        rivals = other.rivals.compactMap { $0.copied() }
    }

    private static func copy(of handshake: borrowing DTLSHandshake?) -> DTLSHandshake? {
        switch handshake {
        case .some(let handshake): handshake.copied()
        case .none: nil
        }
    }
}

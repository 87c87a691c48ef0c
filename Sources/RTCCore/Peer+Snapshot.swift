/// What statistics tell of the connection beneath the streams.
extension Peer {
    /// Where ICE stands.
    package var iceState: ICEState { ice.state }

    /// Our part in ICE.
    package var iceRole: ICERole { ice.role }

    /// Candidates of the other side.
    package var remoteCandidates: [RemoteCandidate] { ice.remoteCandidates }

    /// The pairs of candidates and what their checks came to.
    package var pairStatistics: [ICEPairStatistics] { ice.pairStatistics }

    /// Where DTLS stands, and our part in it; nil before the other side's description is known.
    package var dtlsStatus: (state: DTLSState, role: DTLSRole)? {
        switch dtls {
        case .some(let transport): (transport.state, transport.role)
        case .none: nil
        }
    }

    /// The data channels that there are, in the order of their opening.
    package var dataChannelStatistics: [DataChannelStatistics] { data.statistics }

    /// Channels that have been open at any time.
    package var dataChannelsOpened: Int { data.openedCount }
}

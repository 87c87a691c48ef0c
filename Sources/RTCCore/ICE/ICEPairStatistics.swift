import RTCWire

/// A pair of candidates as statistics tell of it.
package struct ICEPairStatistics: Sendable, Hashable {
    /// W3C's `RTCStatsIceCandidatePairState`.
    package enum State: String, Sendable, Hashable {
        case frozen, waiting, failed, succeeded
        case inProgress = "in-progress"
    }

    package var local: LocalCandidate
    package var remote: RemoteCandidate
    package var state: State
    /// Data takes it.
    package var isSelected: Bool
    /// Of the latest answered check; nil before.
    package var roundTripTime: Interval?
}

extension ICEAgent {
    /// All pairs of the present generation; the selected one too where it is of the generation before.
    package var pairStatistics: [ICEPairStatistics] {
        var result = checklist.pairs.map { pair in
            let isSelected = hasChosen && selection?.pair == pair.id
            return ICEPairStatistics(
                local: pair.local, remote: pair.remote, state: pair.statisticsState, isSelected: isSelected,
                roundTripTime: isSelected ? selection?.roundTripTime : pair.validity?.roundTripTime)
        }
        if let selection, !result.contains(where: \.isSelected) {
            result.append(
                ICEPairStatistics(
                    local: selection.local, remote: selection.remote, state: .succeeded, isSelected: true,
                    roundTripTime: selection.roundTripTime))
        }
        return result
    }
}

extension CandidatePair {
    fileprivate var statisticsState: ICEPairStatistics.State {
        switch state {
        case .frozen: .frozen
        case .waiting: .waiting
        case .inProgress: .inProgress
        case .succeeded: .succeeded
        case .failed: .failed
        }
    }
}

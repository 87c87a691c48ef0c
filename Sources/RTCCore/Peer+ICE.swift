import RTCWire

extension Peer {
    mutating func receiveSTUN(
        _ bytes: UnsafeRawBufferPointer, _ source: TransportAddress, _ localBase: TransportAddress?, _ now: Instant,
        _ outbox: Outbox
    ) {
        statistics.checksReceived += 1
        statistics.checkBytesReceived += bytes.count
        guard let base = localBase ?? onlyBase else { return }
        let first = outbox.datagrams.count
        let changes = ice.receive(bytes, from: source, localBase: base, now: now, into: outbox)
        settle(changes, first, now, outbox)
    }

    /// The socket's address of a peer that was told of one only.
    var onlyBase: TransportAddress? { ice.localCandidates.first?.base }

    mutating func advanceICE(_ now: Instant, _ outbox: Outbox) {
        guard ice.nextDeadline.map({ $0.instant <= now }) ?? false else { return }
        let first = outbox.datagrams.count
        let changes = ice.advance(to: now, into: outbox)
        settle(changes, first, now, outbox)
    }

    /// Draws the consequences of a call to the agent, and counts the datagrams it queued from `first` on.
    mutating func settle(_ changes: ICEChanges, _ first: Int, _ now: Instant, _ outbox: Outbox) {
        countChecks(outbox, from: first)
        if changes.contains(.selection) { adoptSelection(outbox) }
        if ice.state.hasPath { startDTLS(now, outbox) }
        if changes.contains(.state), ice.state == .failed, dtlsFailure == nil {
            outbox.events.append(.failed(.ice))
        }
        refreshState(now, outbox)
    }

    private mutating func adoptSelection(_ outbox: Outbox) {
        guard let pair = ice.selectedPair else {
            selectedPair = nil
            selectedPath = 0
            return
        }
        let isNew = selectedPair?.remote != pair.remote || selectedPair?.local != pair.local
        selectedPair = (pair.local, pair.remote)
        selectedPath = pair.path
        if isNew { outbox.events.append(.selectedPair(local: pair.local, remote: pair.remote)) }
    }

    /// Recomputes the state from what ICE and DTLS say, and tells where it changed.
    mutating func refreshState(_ now: Instant, _ outbox: Outbox) {
        guard state != .closed else { return }
        let next = dtlsFailure == nil ? stateOfLayers : .failed
        guard next != state else { return }
        if next == .connected, state == .disconnected || state == .failed { data.pathRestored(now: now) }
        state = next
        if next == .connected, !hasConnected, let profile = srtpProfile {
            hasConnected = true
            // One report per source waits for the first packet of one.
            if configuration.rtcp.receiverReports == .compound {
                nextReport = now + configuration.streams.reportInterval / 2
            }
            outbox.events.append(.connected(profile))
        }
        outbox.events.append(.stateChanged(next))
    }

    private var stateOfLayers: PeerState {
        switch ice.state {
        case .failed: .failed
        case .closed: .closed
        case .new: .new
        case .checking: .connecting
        case .connected, .completed: srtpProfile == nil ? .connecting : .connected
        case .disconnected: srtpProfile == nil ? .connecting : .disconnected
        }
    }

    /// Which way datagrams from a base take.
    func path(of base: TransportAddress?) -> UInt8 {
        guard let base, let local = ice.localCandidates.first(where: { $0.base == base }) else { return 0 }
        return local.path
    }

    /// Counts the datagrams that another layer has queued from `first` on, and sends them the way that media takes.
    mutating func routeSent(_ outbox: Outbox, from first: Int) {
        if selectedPath != 0 { outbox.route(from: first, path: selectedPath) }
        countSent(outbox, from: first)
    }

    private mutating func countChecks(_ outbox: Outbox, from first: Int) {
        let before = (statistics.datagramsSent, statistics.bytesSent)
        countSent(outbox, from: first)
        statistics.checksSent += statistics.datagramsSent - before.0
        statistics.checkBytesSent += statistics.bytesSent - before.1
    }

    /// Counts the datagrams that another layer has queued from `first` on.
    mutating func countSent(_ outbox: Outbox, from first: Int) {
        for index in first..<max(first, outbox.datagrams.count) {
            statistics.datagramsSent += 1
            statistics.bytesSent += outbox.datagrams[index].length
        }
    }
}

import RTCWire

/// Offer and answer for one BUNDLE transport (RFC 8829, RFC 3264, RFC 9143), as a value.
///
/// Both sides of every connection use it: our participant offers to a server or answers its offers; our server answers, or
/// offers where it has a connection of its own for subscriptions. Lines are described by the caller, numbers are assigned
/// or taken over here, and what both sides agreed on is read from `lines` and `remoteTransport`. A method that throws has
/// changed nothing.
package struct Negotiator: Sendable {
    /// The state of RFC 8829 section 3.2.
    package enum State: Hashable, Sendable {
        case stable
        case haveLocalOffer
        case haveRemoteOffer
    }

    package private(set) var configuration: NegotiatorConfiguration
    package internal(set) var state = State.stable
    /// All m-lines in order.
    package internal(set) var lines: [MediaLine] = []
    /// Nil until a description with a live line has been taken.
    package internal(set) var remoteTransport: RemoteTransport?
    /// Our ICE credentials; the next description carries them.
    package internal(set) var credentials: ICECredentials
    /// Candidates of ours to write into descriptions, beside or in place of trickling them.
    package var localCandidates: [ICECandidate] = []
    /// Whether `localCandidates` are all there will be.
    package var localCandidatesComplete = false

    var numbers: NumberTable
    var version: UInt64 = 0
    /// What our open offer says, by line.
    var offered: [OfferedLine] = []
    /// What the other side's open offer says beyond the lines.
    var remoteOffer: RemoteOffer?
    /// The lines and transport to go back to when the other side's open offer is dropped.
    var stable: (lines: [MediaLine], remoteTransport: RemoteTransport?, numbers: NumberTable)?
    /// Grows with every wish of the caller; equal to `describedChanges` where our last description says it all.
    private var changes = 0
    private var describedChanges = 0
    private var changesInOffer = 0
    private var nextMid = 0
    /// What our last description says.
    var describedCredentials: ICECredentials?

    package init(configuration: NegotiatorConfiguration) {
        self.configuration = configuration
        credentials = configuration.credentials
        numbers = NumberTable(numbering: configuration.numbering, codecs: configuration.codecs)
    }

    // MARK: Wishes

    /// Adds a line for the next offer, on a stopped line where there is one, and gives its index.
    @discardableResult
    package mutating func addLine(
        kind: SDPMediaKind, direction: MediaDirection = .sendrecv, send: SendDescription? = nil
    ) -> Int {
        var index = lines.count
        if state == .stable, let free = lines.first(where: \.isStopped) { index = free.index }
        var line = MediaLine(index: index, mid: freshMid(), kind: kind)
        line.wantedDirection = direction
        line.send = send
        if index == lines.count { lines.append(line) } else { lines[index] = line }
        changes += 1
        return index
    }

    /// Says what a line shall send, and that it shall send. On an answerer's line this is how a subscription gets its
    /// place: the answer then has the msid, the sources and the FID group.
    package mutating func setSend(_ line: Int, _ send: SendDescription) {
        guard lines.indices.contains(line), lines[line].send != send else { return }
        lines[line].send = send
        if let wanted = lines[line].wantedDirection {
            lines[line].wantedDirection = MediaDirection(sends: true, receives: wanted.receives)
        }
        changes += 1
    }

    /// Takes back what `setSend` said; the line no longer sends and may be used again.
    package mutating func clearSend(_ line: Int) {
        guard lines.indices.contains(line), lines[line].send != nil else { return }
        lines[line].send = nil
        let receives = lines[line].wantedDirection?.receives ?? true
        lines[line].wantedDirection = MediaDirection(sends: false, receives: receives)
        changes += 1
    }

    /// Wants another direction from the next description on; nil follows the other side.
    package mutating func setDirection(_ line: Int, _ direction: MediaDirection?) {
        guard lines.indices.contains(line), lines[line].wantedDirection != direction else { return }
        lines[line].wantedDirection = direction
        changes += 1
    }

    /// Takes up a codec that the configuration lacks, for later descriptions.
    package mutating func allow(_ codec: CodecCapability) {
        guard !configuration.codecs.contains(codec) else { return }
        configuration.codecs.append(codec)
    }

    /// Limits the codecs of a line to these names, in order of preference; nil lifts the limit.
    package mutating func setCodecs(_ line: Int, _ names: [String]?) {
        guard lines.indices.contains(line), lines[line].codecNames != names else { return }
        lines[line].codecNames = names
        changes += 1
    }

    /// Adds format parameters to what our description of a line says of a codec, for example `usedtx=1` of `opus`.
    package mutating func setParameters(_ line: Int, codec: String, _ parameters: SDPFormatParameters) {
        guard lines.indices.contains(line) else { return }
        lines[line].extraParameters[codec.asciiLowercased] = parameters
        changes += 1
    }

    /// Ends a line for good: the next description has it with port 0, after that `addLine` may use it again.
    package mutating func stop(_ line: Int) {
        guard lines.indices.contains(line), lines[line].state == .active else { return }
        lines[line].state = .stopping
        lines[line].send = nil
        changes += 1
    }

    /// Gives new ICE credentials, for an ICE restart of ours or to answer one of the other side.
    package mutating func restartICE(_ credentials: ICECredentials) {
        self.credentials = credentials
        localCandidates = []
        localCandidatesComplete = false
        changes += 1
    }

    // MARK: Questions

    /// True where the caller has asked for something that no finished description says yet.
    package var needsNegotiation: Bool { changes != describedChanges }

    /// The line with that mid.
    package func line(mid: String) -> MediaLine? {
        mid.isEmpty ? nil : lines.first { $0.mid == mid && !$0.isStopped }
    }

    /// The line on which the other side announced that source, RTX sources included.
    package func line(ssrc: UInt32) -> MediaLine? {
        lines.first { $0.remote?.sources.contains { $0.ssrc == ssrc || $0.rtxSSRC == ssrc } ?? false }
    }

    /// The line on which the other side sends that track.
    package func line(remoteTrackID: String) -> MediaLine? {
        lines.first { $0.remoteStreamID?.trackID == remoteTrackID }
    }

    /// The first line of that kind that could take one more stream of ours (`MediaLine.isIdle`).
    package func idleLine(_ kind: SDPMediaKind) -> Int? { lines.first { $0.kind == kind && $0.isIdle }?.index }

    // MARK: Inside

    /// Drops an open offer of either side and goes back to what was agreed before. Wishes told since the other side's
    /// offer came are dropped with it.
    package mutating func rollback() {
        if let stable { (lines, remoteTransport, numbers) = stable }
        finish(describing: false)
    }

    /// Opens our offer.
    mutating func openOffer(_ offered: [OfferedLine]) {
        self.offered = offered
        changesInOffer = changes
        state = .haveLocalOffer
    }

    /// Ends an exchange. An answer of ours describes every wish; an answer to our offer those told before the offer.
    mutating func finish(describing: Bool) {
        if describing { describedChanges = state == .haveLocalOffer ? changesInOffer : changes }
        state = .stable
        offered = []
        remoteOffer = nil
        stable = nil
    }

    private mutating func freshMid() -> String {
        while lines.contains(where: { $0.mid == String(nextMid) }) { nextMid += 1 }
        defer { nextMid += 1 }
        return String(nextMid)
    }
}

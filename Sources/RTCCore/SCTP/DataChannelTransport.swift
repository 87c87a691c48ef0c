import RTCWire

/// All data channels of one peer and the association that carries them (RFC 8831, RFC 8832), without socket or clock.
///
/// Channels may be opened before there is an association; they open with it. Once it has ended, all of them have closed.
package struct DataChannelTransport: ~Copyable {
    /// Channels that may be open at once, whoever opened them.
    package static let maximumChannels = 512

    struct Channel {
        enum State: Hashable {
            /// Waits for the association.
            case waiting
            case open
            /// Resets are under way; both directions must be done.
            case closing(sentDone: Bool, receivedDone: Bool)
        }

        var configuration: DataChannelConfiguration
        var state = State.waiting
        /// Nil until the association stands and gives it one.
        var stream: UInt16?
        /// The other side knows of the channel. Until then its messages are sent in order (RFC 8832 section 6).
        var isAcknowledged = false
        var counted = DataChannelCounters()
    }

    private(set) var association: SCTPAssociation?
    /// By the id's raw value.
    private(set) var channels: [UInt32: Channel] = [:]
    private var byStream: [UInt16: UInt32] = [:]
    private var nextID: UInt32 = 1
    private var remote: (port: UInt16, maximumMessageSize: Int)?
    private var role: DTLSRole?
    private let settings: SCTPConfiguration
    /// Bytes that wait for an association's send queue are none: messages are refused before it stands.
    private var lowThresholds: [UInt32: Int] = [:]
    private var hasEnded = false
    /// Channels that have been open at any time.
    package private(set) var openedCount = 0

    package init(configuration: SCTPConfiguration = SCTPConfiguration()) { settings = configuration }

    // MARK: Life

    /// What the other side's description says; 0 bytes for a message of any size.
    package mutating func setRemote(port: UInt16, maximumMessageSize: Int) {
        let size = maximumMessageSize <= 0 ? Int.max : maximumMessageSize
        remote = (remote?.port ?? port, size)
    }

    /// SCTP was negotiated.
    package var isOn: Bool { remote != nil && !hasEnded }

    /// The association could begin, but has not.
    package var isReady: Bool { isOn && association == nil }

    /// Begins the association; DTLS stands, and `role` is our part in it.
    package mutating func start(role: DTLSRole, now: Instant, into output: inout DataChannelOutput) {
        guard isReady, let remote else { return }
        self.role = role
        var new = SCTPAssociation(configuration: settings, remotePort: remote.port)
        var sctp = SCTPOutput()
        new.connect(now: now, into: &sctp)
        association = consume new
        take(sctp, now, &output)
    }

    /// Largest message that the other side takes, in bytes.
    package var maximumMessageSize: Int { remote?.maximumMessageSize ?? SCTPConfiguration.defaultMaximumMessageSize }

    /// When `advance` wants to be called next.
    package var nextDeadline: Instant? {
        switch association {
        case .some(let association): association.nextDeadline
        case .none: nil
        }
    }

    package mutating func receive(_ packet: [UInt8], now: Instant, into output: inout DataChannelOutput) {
        var sctp = SCTPOutput()
        association?.receive(packet, now: now, into: &sctp)
        take(sctp, now, &output)
    }

    package mutating func advance(to now: Instant, into output: inout DataChannelOutput) {
        var sctp = SCTPOutput()
        association?.advance(to: now, into: &sctp)
        take(sctp, now, &output)
    }

    /// ICE has found a path again; `advance` is due at once where something waits for an answer.
    package mutating func pathRestored(now: Instant) { association?.pathRestored(now: now) }

    /// Ends everything; the other side is told where there is an association.
    package mutating func close(into output: inout DataChannelOutput) {
        guard !hasEnded else { return }
        var sctp = SCTPOutput()
        association?.abort(SCTPErrorCause(code: SCTPErrorCause.Code.userAbort), into: &sctp)
        output.packets += sctp.packets
        end(&output)
    }

    private mutating func end(_ output: inout DataChannelOutput) {
        hasEnded = true
        closeAll(&output)
    }

    private mutating func closeAll(_ output: inout DataChannelOutput) {
        for id in channels.keys.sorted() { output.events.append(.closed(DataChannelID(rawValue: id))) }
        channels = [:]
        byStream = [:]
        lowThresholds = [:]
    }

    // MARK: The application's side

    package mutating func open(
        _ configuration: DataChannelConfiguration, now: Instant, into output: inout DataChannelOutput
    ) throws(DataChannelError) -> DataChannelID {
        guard !hasEnded else { throw .closed }
        guard channels.count < DataChannelTransport.maximumChannels else {
            throw .tooManyChannels(limit: DataChannelTransport.maximumChannels)
        }
        let limit = DataChannelConfiguration.maximumNameLength
        guard configuration.label.utf8.count <= limit, configuration.protocolName.utf8.count <= limit else {
            throw .nameTooLong(limit: limit)
        }
        let id = nextID
        if let stream = configuration.negotiatedID {
            guard stream < settings.maximumStreams, byStream[stream] == nil else { throw .streamUnavailable(stream) }
            byStream[stream] = id
        }
        nextID &+= 1
        channels[id] = Channel(configuration: configuration, stream: configuration.negotiatedID)
        if isEstablished { begin(id, now, &output) }
        return DataChannelID(rawValue: id)
    }

    package mutating func send(
        _ bytes: [UInt8], isText: Bool, on id: DataChannelID, now: Instant, into output: inout DataChannelOutput
    ) throws(DataChannelError) {
        guard let channel = channels[id.rawValue] else { throw .closed }
        guard channel.state != .waiting else { throw .notOpen }
        guard channel.state == .open, let stream = channel.stream else { throw .closed }
        guard bytes.count <= maximumMessageSize else { throw .messageTooLarge(limit: maximumMessageSize) }
        guard bufferedAmount + bytes.count <= settings.sendBufferLimit else {
            throw .bufferFull(limit: settings.sendBufferLimit)
        }
        var message = OutgoingMessage(
            stream: stream, protocolID: DataChannelProtocolID.of(isText: isText, isEmpty: bytes.isEmpty),
            payload: bytes.isEmpty ? [0] : bytes)
        message.isUnordered = !channel.configuration.isOrdered && channel.isAcknowledged
        switch channel.configuration.reliability {
        case .reliable: break
        case .maximumRetransmissions(let count): message.maximumRetransmissions = Int(count)
        case .maximumLifetime(let lifetime): message.expiry = now + lifetime
        }
        channels[id.rawValue]?.counted.count(sent: bytes.count)
        transmit(message, now, &output)
    }

    /// Bytes of a channel that wait to be sent.
    package func bufferedAmount(of id: DataChannelID) -> Int {
        guard let stream = channels[id.rawValue]?.stream else { return 0 }
        switch association {
        case .some(let association): return association.bufferedAmount(of: stream)
        case .none: return 0
        }
    }

    private var bufferedAmount: Int {
        switch association {
        case .some(let association): association.bufferedAmount
        case .none: 0
        }
    }

    /// Asks for `.bufferedAmountLow` when what waits falls to `bytes`; 0 at first.
    package mutating func setLowThreshold(_ bytes: Int, of id: DataChannelID) {
        guard let channel = channels[id.rawValue] else { return }
        lowThresholds[id.rawValue] = bytes
        if let stream = channel.stream { association?.setLowThreshold(bytes, of: stream) }
    }

    /// Closes a channel, after what was handed in has been sent (RFC 8831 section 6.7).
    package mutating func close(_ id: DataChannelID, now: Instant, into output: inout DataChannelOutput) {
        guard let channel = channels[id.rawValue] else { return }
        switch channel.state {
        case .waiting: remove(id.rawValue, &output)
        case .closing: break
        case .open:
            channels[id.rawValue]?.state = .closing(sentDone: false, receivedDone: false)
            if let stream = channel.stream { reset(stream, now, &output) }
        }
    }

    // MARK: Channels

    private var isEstablished: Bool {
        switch association {
        case .some(let association): association.isEstablished
        case .none: false
        }
    }

    /// Opens a waiting channel: gives it a stream and announces it.
    private mutating func begin(_ id: UInt32, _ now: Instant, _ output: inout DataChannelOutput) {
        guard let configuration = channels[id]?.configuration else { return }
        guard let stream = channels[id]?.stream ?? freeStream, stream < outboundStreams else {
            return remove(id, &output)
        }
        byStream[stream] = id
        channels[id]?.stream = stream
        channels[id]?.state = .open
        if let threshold = lowThresholds[id] { association?.setLowThreshold(threshold, of: stream) }
        if configuration.negotiatedID == nil {
            control(DataChannelOpen(configuration).encoded, on: stream, now, &output)
        } else {
            channels[id]?.isAcknowledged = true
        }
        openedCount += 1
        output.events.append(.opened(DataChannelID(rawValue: id), configuration))
    }

    private var outboundStreams: UInt16 {
        switch association {
        case .some(let association): association.outboundStreams
        case .none: 0
        }
    }

    /// The DTLS client takes even streams, the server odd ones (RFC 8832 section 6).
    private var freeStream: UInt16? {
        stride(from: role == .client ? 0 : 1, to: Int(min(outboundStreams, settings.maximumStreams)), by: 2)
            .map { UInt16($0) }.first { byStream[$0] == nil }
    }

    private mutating func remove(_ id: UInt32, _ output: inout DataChannelOutput) {
        guard let channel = channels.removeValue(forKey: id) else { return }
        if let stream = channel.stream { byStream[stream] = nil }
        lowThresholds[id] = nil
        output.events.append(.closed(DataChannelID(rawValue: id)))
    }

    private mutating func transmit(
        _ message: OutgoingMessage, _ now: Instant, _ output: inout DataChannelOutput
    ) {
        var sctp = SCTPOutput()
        association?.send(message, now: now, into: &sctp)
        take(sctp, now, &output)
    }

    /// Sends a message of the establishment protocol: always ordered and reliable (RFC 8832 section 6).
    private mutating func control(
        _ bytes: [UInt8], on stream: UInt16, _ now: Instant, _ output: inout DataChannelOutput
    ) {
        var message = OutgoingMessage(stream: stream, protocolID: DataChannelProtocolID.control, payload: bytes)
        message.isCounted = false
        transmit(message, now, &output)
    }

    private mutating func reset(_ stream: UInt16, _ now: Instant, _ output: inout DataChannelOutput) {
        var sctp = SCTPOutput()
        association?.resetStream(stream, now: now, into: &sctp)
        take(sctp, now, &output)
    }

    // MARK: What the association says

    private mutating func take(_ sctp: SCTPOutput, _ now: Instant, _ output: inout DataChannelOutput) {
        output.packets += sctp.packets
        for event in sctp.events {
            switch event {
            case .established: beginAll(now, &output)
            case .restarted:
                closeAll(&output)
            case .message(let stream, let protocolID, let bytes): receive(stream, protocolID, bytes, now, &output)
            case .incomingReset(let streams): peerReset(streams, now, &output)
            case .outgoingReset(let streams), .resetRefused(let streams): weReset(streams, &output)
            case .bufferedAmountLow(let stream):
                if let id = byStream[stream] { output.events.append(.bufferedAmountLow(DataChannelID(rawValue: id))) }
            case .closed: end(&output)
            }
        }
    }

    private mutating func beginAll(_ now: Instant, _ output: inout DataChannelOutput) {
        for id in channels.keys.sorted() where channels[id]?.state == .waiting { begin(id, now, &output) }
    }

    private mutating func receive(
        _ stream: UInt16, _ protocolID: UInt32, _ bytes: [UInt8], _ now: Instant, _ output: inout DataChannelOutput
    ) {
        if protocolID == DataChannelProtocolID.control { return receiveControl(stream, bytes, now, &output) }
        guard let id = byStream[stream], channels[id]?.state != .waiting else {
            output.strayMessages += 1
            return
        }
        channels[id]?.isAcknowledged = true
        guard let (isText, isEmpty) = DataChannelProtocolID.kind(protocolID) else {
            output.strayMessages += 1
            return
        }
        channels[id]?.counted.count(received: isEmpty ? 0 : bytes.count)
        output.events.append(.message(DataChannelID(rawValue: id), isEmpty ? [] : bytes, isText: isText))
    }

    private mutating func receiveControl(
        _ stream: UInt16, _ bytes: [UInt8], _ now: Instant, _ output: inout DataChannelOutput
    ) {
        if bytes.first == DataChannelControl.acknowledgement {
            if let id = byStream[stream] { channels[id]?.isAcknowledged = true }
            return
        }
        guard let open = try? DataChannelOpen(parsing: bytes.span.bytes), byStream[stream] == nil,
            channels.count < DataChannelTransport.maximumChannels, let configuration = open.configuration
        else {
            output.strayMessages += 1
            // A channel that we can't have is closed again; one that is open already stays as it is.
            if byStream[stream] == nil { reset(stream, now, &output) }
            return
        }
        let id = nextID
        nextID &+= 1
        byStream[stream] = id
        channels[id] = Channel(configuration: configuration, state: .open, stream: stream, isAcknowledged: true)
        control([DataChannelControl.acknowledgement], on: stream, now, &output)
        openedCount += 1
        output.events.append(.opened(DataChannelID(rawValue: id), configuration))
    }

    /// The other side has closed channels: so do we.
    private mutating func peerReset(_ streams: [UInt16], _ now: Instant, _ output: inout DataChannelOutput) {
        for stream in streams.isEmpty ? Array(byStream.keys).sorted() : streams {
            guard let id = byStream[stream], let state = channels[id]?.state else { continue }
            switch state {
            case .waiting: break
            case .open:
                channels[id]?.state = .closing(sentDone: false, receivedDone: true)
                reset(stream, now, &output)
            case .closing(let sentDone, _):
                channels[id]?.state = .closing(sentDone: sentDone, receivedDone: true)
                if sentDone { remove(id, &output) }
            }
        }
    }

    private mutating func weReset(_ streams: [UInt16], _ output: inout DataChannelOutput) {
        for stream in streams {
            guard let id = byStream[stream], case .closing(_, let receivedDone) = channels[id]?.state else { continue }
            channels[id]?.state = .closing(sentDone: true, receivedDone: receivedDone)
            if receivedDone { remove(id, &output) }
        }
    }
}

import Logging
import NIOCore
import RTCCore
import RTCTransport
import RTCWire
import SFUCore

/// Who is told what becomes of a connection; on the room's loop.
protocol MediaConnectionOwner: AnyObject {
    func connection(_ connection: MediaConnection, changedTo state: PeerState)
}

/// A description that could not be taken or made, in words for the log.
struct NegotiationFailure: Error, CustomStringConvertible {
    var description: String
}

/// One peer connection of a participant: offer and answer, the producers that its lines feed, and the consumers that
/// its lines carry. In no dialect's words.
///
/// Lives on its room's event loop.
final class MediaConnection {
    enum Role {
        /// The client offers; what it is to receive waits for a line of its next offer.
        case answering
        /// We offer.
        case offering
    }

    let role: Role
    let flow: PeerFlow
    let logger: Logger
    weak var owner: (any MediaConnectionOwner)?
    var negotiator: Negotiator
    var ingress = Ingress()
    /// What this connection is to send, with or without a line.
    private(set) var sends: [OutgoingTrack] = []
    private let settings: MediaSettings
    private let statistics: ForwardingStatistics
    private var consumers: [UInt32: Consumer] = [:]
    private var transportGeneration: Int?

    /// Nil where the loop's port has as many peers as it takes.
    init?(role: Role, loop: ServerLoop, cname: String, logger: Logger) {
        var configuration = PeerConfiguration(
            iceRole: role == .offering ? .controlling : .controlled, certificate: loop.settings.certificate)
        configuration.srtpBackend = loop.settings.srtpBackend
        configuration.cname = cname
        configuration.maximumDatagram = MediaConnection.maximumDatagram
        guard let flow = loop.mux.makeFlow(configuration: configuration, handler: nil) else { return nil }
        self.role = role
        self.flow = flow
        self.logger = logger
        settings = loop.settings
        statistics = loop.forwarding
        negotiator = Negotiator(
            configuration: MediaConnection.negotiation(
                flow.peer.localCredentials, settings.certificate.fingerprint, cname))
        flow.handler = self
        addLocalCandidates(port: loop.mux.localAddress.port)
    }

    /// What comes in with 1,200 bytes leaves a little larger: every packet names its line, and a repeated one its original.
    private static let maximumDatagram = 1280

    private static func negotiation(
        _ credentials: ICECredentials, _ fingerprint: DTLSFingerprint, _ cname: String
    ) -> NegotiatorConfiguration {
        var configuration = NegotiatorConfiguration(credentials: credentials, fingerprint: fingerprint)
        configuration.codecs = [.opus, .vp8]
        configuration.audioExtensions = [.mid, .audioLevel, .absCaptureTime]
        configuration.videoExtensions = [
            .mid, .rid, .repairedRid, .absCaptureTime, .playoutDelay, .videoOrientation,
        ]
        configuration.cname = cname
        configuration.keepsIdleLinesOpen = true
        configuration.acceptsSimulcast = true
        return configuration
    }

    private func addLocalCandidates(port: UInt16) {
        flow.perform { peer, _, _ in
            for address in settings.addresses {
                peer.addLocalCandidate(TransportAddress(high: address.high, low: address.low, port: port))
            }
        }
    }

    /// What the client is told of where we can be reached.
    var candidates: [ICECandidate] {
        let ufrag = flow.peer.localCredentials.ufrag
        return flow.peer.localCandidates.map { $0.sdp(ufrag: ufrag) }
    }

    var isConnected: Bool { flow.peer.isConnected }

    /// Says goodbye and lets go of everything.
    func close() {
        for entry in ingress.bound { entry.producer.close() }
        for send in sends { send.consumer?.stop() }
        owner = nil
        sends = []
        consumers = [:]
        ingress = Ingress()
        flow.close()
    }

    // MARK: Candidates

    /// Takes a candidate that the client trickled.
    func addRemoteCandidate(_ candidate: ICECandidate) {
        flow.perform { peer, outbox, now in _ = peer.addRemoteCandidate(candidate, now: now, into: outbox) }
    }

    func endRemoteCandidates() { flow.perform { peer, _, _ in peer.endRemoteCandidates() } }

    // MARK: Sending

    /// Wants a track sent to this client. The line comes with the next negotiation.
    func add(_ send: OutgoingTrack) { sends.append(send) }

    /// Stops sending a track; true where the client must be told by another negotiation.
    func removeSend(track: String) -> Bool {
        guard let index = sends.firstIndex(where: { $0.trackID == track }) else { return false }
        let send = sends.remove(at: index)
        if let consumer = send.consumer {
            consumer.stop()
            consumers[send.ssrc] = nil
            flow.perform { peer, outbox, now in
                peer.removeSendStream(ssrc: send.ssrc, sendBye: true, now: now, into: outbox)
            }
        }
        guard let line = send.line else { return false }
        negotiator.clearSend(line)
        return true
    }

    func send(track: String) -> OutgoingTrack? { sends.first { $0.trackID == track } }

    /// How many lines of each kind the client would have to add for what waits.
    var missingLines: (audio: Int, video: Int) {
        func missing(_ kind: StreamKind) -> Int {
            let waiting = sends.filter { $0.line == nil && !$0.isRefused && $0.producer.kind == kind }.count
            let idle = negotiator.lines.filter { $0.streamKind == kind && $0.isIdle }.count
            return max(0, waiting - idle)
        }
        return (missing(.audio), missing(.video))
    }

    /// Tracks that have no line yet.
    var hasWaiting: Bool { sends.contains { $0.line == nil && !$0.isRefused } }

    /// Gives lines to what waits: idle lines of the client's offer, or lines of our own next one.
    func placeWaiting() {
        for send in sends where send.line == nil && !send.isRefused {
            let kind: SDPMediaKind = send.producer.kind == .audio ? .audio : .video
            if role == .answering {
                guard let line = negotiator.idleLine(kind) else { continue }
                send.line = line
                negotiator.setSend(line, send.description)
            } else if let line = freeOwnLine(kind) {
                send.line = line
                negotiator.setDirection(line, .sendonly)
                negotiator.setSend(line, send.description)
            } else {
                send.line = negotiator.addLine(kind: kind, direction: .sendonly, send: send.description)
            }
        }
    }

    private func freeOwnLine(_ kind: SDPMediaKind) -> Int? {
        negotiator.lines.first { $0.kind == kind && $0.state == .active && $0.send == nil }?.index
    }

    /// The track that each mid carries, for clients that map by mid.
    var trackByMid: [String: String] {
        var result: [String: String] = [:]
        for send in sends {
            guard let line = send.line, negotiator.lines.indices.contains(line) else { continue }
            result[negotiator.lines[line].mid] = send.trackID
        }
        return result
    }

    /// Brings the peer in line with what has been negotiated, and starts what can start.
    func applyLines() {
        flow.perform { peer, outbox, now in
            peer.setReceiveMap(ReceiveMap(negotiator.lines))
            connect(&peer, outbox, now)
        }
        for send in sends { open(send) }
    }

    private func connect(_ peer: inout Peer, _ outbox: Outbox, _ now: Instant) {
        guard let remote = negotiator.remoteTransport, remote.generation != transportGeneration else { return }
        transportGeneration = remote.generation
        peer.setRemote(
            credentials: ICECredentials(ufrag: remote.ufrag, pwd: remote.pwd), fingerprint: remote.fingerprint,
            dtlsRole: remote.localRole, remoteIsLite: remote.isLite, now: now, into: outbox)
        for candidate in remote.candidates { _ = peer.addRemoteCandidate(candidate, now: now, into: outbox) }
        if remote.endOfCandidates { peer.endRemoteCandidates() }
    }

    private func open(_ send: OutgoingTrack) {
        guard let index = send.line, send.consumer == nil, !send.isRefused else { return }
        let line = negotiator.lines[index]
        guard line.direction.sends, line.send != nil else { return }
        guard let stream = line.sendStream(codec: send.codecName, cache: .external) else {
            send.isRefused = true
            negotiator.clearSend(index)
            send.line = nil
            return
        }
        let consumer = Consumer(
            ConsumerConfiguration(
                ssrc: stream.ssrc, payloadType: stream.payloadType, rtxSSRC: stream.rtxSSRC,
                rtxPayloadType: stream.rtxPayloadType, firstSequence: .random(in: 0..<0x8000),
                firstRTXSequence: .random(in: 0..<0x8000)),
            producer: send.producer, sink: self)
        send.consumer = consumer
        send.applySettings(now: MonotonicClock.now())
        consumers[stream.ssrc] = consumer
        flow.perform { peer, _, _ in peer.addSendStream(stream) }
        if isConnected { start(consumer) }
    }

    /// A client that has only just been sent our answer would take packets of a stream that it doesn't know yet for
    /// somebody else's, and lose the key frame: video waits for it a moment.
    private func start(_ consumer: Consumer) {
        guard role == .answering, consumer.producer.kind == .video else { return consumer.start(now: MonotonicClock.now()) }
        flow.eventLoop.assumeIsolated().scheduleTask(in: MediaConnection.answerGrace) { [weak self] in
            guard let self, sends.contains(where: { $0.consumer === consumer }) else { return }
            consumer.start(now: MonotonicClock.now())
        }
    }

    private static let answerGrace = TimeAmount.milliseconds(60)

    /// Video that came before the connection stood would have been lost with its key frame.
    private func startConsumers() {
        let now = MonotonicClock.now()
        for send in sends { send.consumer?.start(now: now) }
    }
}

// MARK: Packets and events

extension MediaConnection: PeerFlowHandler {
    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {
        if !ingress.receive(packet, in: buffer) { statistics.dropped += 1 }
    }

    func handle(_ event: PeerEvent, on flow: PeerFlow) {
        switch event {
        case .stateChanged(let state):
            if state == .connected { startConsumers() }
            owner?.connection(self, changedTo: state)
        case .connected(let profile):
            logger.debug("media connected", metadata: ["profile": "\(profile)"])
        case .failed(let failure):
            logger.notice("media failed", metadata: ["reason": "\(failure)"])
        case .senderReport(let ssrc, let ntp, let timestamp, let arrival):
            ingress.receiveSenderReport(ssrc: ssrc, ntp: ntp, rtpTimestamp: timestamp, arrival: arrival)
        case .keyFrameRequest(let ssrc):
            consumers[ssrc]?.requestKeyFrame(now: MonotonicClock.now())
        case .nack(let ssrc, let sequences):
            consumers[ssrc]?.resend(sequences, now: MonotonicClock.now(), spacing: repetitionSpacing)
        case .rtp, .selectedPair, .closed, .receiverReport, .bye, .applicationData: break
        }
    }

    /// Shorter than the round trip, so that a request which the client times by its own measure isn't refused.
    private var repetitionSpacing: Interval {
        min(max((flow.peer.roundTripTime ?? .milliseconds(20)) * 0.75, .milliseconds(5)), .milliseconds(250))
    }
}

extension MediaConnection: ConsumerSink {
    func forward(_ packet: OutgoingRTP, prefix: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) -> Bool {
        var isSent = false
        flow.perform { peer, outbox, now in
            isSent = peer.forward(packet, prefix: prefix, payload: payload, now: now, into: outbox)
        }
        return isSent
    }

    func sendSenderReport(ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32) {
        flow.perform { peer, outbox, now in
            peer.sendSenderReport(ssrc: ssrc, ntp: ntp, rtpTimestamp: rtpTimestamp, now: now, into: outbox)
        }
    }
}

extension MediaConnection: ProducerSource {
    func requestKeyFrame(ssrc: UInt32) {
        flow.perform { peer, outbox, now in peer.requestKeyFrame(ssrc: ssrc, now: now, into: outbox) }
    }

    func keyFrameReceived(ssrc: UInt32) { flow.perform { peer, _, _ in peer.keyFrameReceived(ssrc: ssrc) } }
}

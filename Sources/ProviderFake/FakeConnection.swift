import MediaCore
import RTCCore
import RTCSim
import RTCWire
import SFUCore

/// The simulated server's end of one participant's connection: offers are answered, lines given to what is to be sent.
final class FakeConnection {
    let id: ConnectionID
    /// The participant's.
    let client: TransportAddress
    let media: FakeRoomMedia
    var peer: Peer
    var negotiator: Negotiator
    private(set) var ingress = Ingress()
    var copies: [FakeCopy] = []
    private var random: SeededGenerator
    private var transportGeneration: Int?
    /// When the peer wants to be advanced.
    var deadline = Instant.distantFuture

    /// - Parameter isOffering: the server offers; else the client does.
    init(
        _ id: ConnectionID, client: TransportAddress, server: TransportAddress, media: FakeRoomMedia,
        certificate: DTLSCertificate, isOffering: Bool = false, seed: UInt64, now: Instant
    ) {
        self.id = id
        self.client = client
        self.media = media
        // Not the peer's own draws over again.
        random = SeededGenerator(seed: SeededGenerator.hash(seed, 0xc0b1, 1))
        var configuration = PeerConfiguration(
            iceRole: isOffering ? .controlling : .controlled, certificate: certificate)
        configuration.seed = seed
        configuration.rtcp = .forwarding
        configuration.maximumDatagram = 1472
        peer = Peer(configuration: configuration, now: now)
        peer.setClock(ntpOffset: FakeClient.ntpOffset)
        peer.addLocalCandidate(server)
        var negotiation = NegotiatorConfiguration(
            credentials: peer.localCredentials, fingerprint: certificate.fingerprint)
        negotiation.codecs =
            isOffering ? CodecCapability.forwardedInOffers : CodecCapability.forwardedInAnswers
        negotiation.audioExtensions = [.mid, .audioLevel, .absCaptureTime]
        negotiation.videoExtensions = [.mid, .rid, .repairedRid, .absCaptureTime, .playoutDelay]
        negotiation.congestionFeedback = .receiverEstimate
        negotiation.keepsIdleLinesOpen = true
        negotiation.acceptsSimulcast = true
        negotiation.sessionID = .random(in: 1...(1 << 62), using: &random)
        negotiator = Negotiator(configuration: negotiation)
        nameCandidates()
    }

    private func nameCandidates() {
        let ufrag = peer.localCredentials.ufrag
        negotiator.localCandidates = peer.localCandidates.map { $0.sdp(ufrag: ufrag) }
        negotiator.localCandidatesComplete = true
    }

    // MARK: Copies

    /// Sends a track to the participant as soon as a line carries it.
    func add(
        _ trackID: String, of ownerID: String, producer: ProducerID, kind: StreamKind, format: TrackFormat
    ) {
        copies.append(
            FakeCopy(
                trackID: trackID, ownerID: ownerID, producer: producer, kind: kind, format: format, using: &random))
    }

    /// Takes a copy away; gives its consumer, which is to be ended.
    func removeCopy(of trackID: String) -> FakeCopy? {
        guard let index = copies.firstIndex(where: { $0.trackID == trackID }) else { return nil }
        let copy = copies.remove(at: index)
        if let line = copy.line { negotiator.clearSend(line) }
        return copy
    }

    func consumer(ssrc: UInt32) -> ConsumerID? { copies.first { $0.description.ssrc == ssrc }?.consumer }

    /// How many lines of a kind the client has to add for what waits.
    func missingLines(_ kind: StreamKind) -> Int {
        let waiting = copies.count { $0.line == nil && $0.kind == kind }
        return max(0, waiting - negotiator.lines.count { $0.streamKind == kind && $0.isIdle })
    }

    /// Gives idle lines of the offer to what waits.
    private func placeWaiting() {
        for index in copies.indices where copies[index].line == nil {
            guard let line = negotiator.idleLine(copies[index].kind == .audio ? .audio : .video) else { continue }
            copies[index].line = line
            negotiator.setSend(line, copies[index].description)
        }
    }

    // MARK: Descriptions

    func takeOffer(_ sdp: String, now: Instant, into outbox: Outbox) throws {
        let change = try negotiator.applyOffer(SDPSession(parsing: sdp))
        if change.restartedICE { restartICE(now: now, into: outbox) }
    }

    /// Begins another ICE generation; the next description says so.
    func restartICE(now: Instant, into outbox: Outbox) {
        negotiator.restartICE(peer.restartICE(now: now, into: outbox))
        nameCandidates()
    }

    /// Answers the open offer.
    func createAnswer(now: Instant, into outbox: Outbox) throws -> String {
        placeWaiting()
        let answer = try negotiator.createAnswer().description
        peer.setReceiveMap(ReceiveMap(negotiator.lines))
        connect(now, outbox)
        return answer
    }

    func connect(_ now: Instant, _ outbox: Outbox) {
        guard let remote = negotiator.remoteTransport, remote.generation != transportGeneration else { return }
        transportGeneration = remote.generation
        peer.setRemote(
            credentials: ICECredentials(ufrag: remote.ufrag, pwd: remote.pwd), fingerprint: remote.fingerprint,
            dtlsRole: remote.localRole, now: now, into: outbox)
    }

    // MARK: What is received

    /// Lines on which the client has begun to send, and the track that it says.
    func newLines() -> [(line: MediaLine, trackID: String)] {
        negotiator.lines.compactMap { line in
            guard line.isRTP, line.state == .active, line.direction.receives, ingress[line: line.index] == nil,
                let trackID = line.remoteStreamID?.trackID
            else { return nil }
            return (line, trackID)
        }
    }

    func bind(_ line: MediaLine, to producer: ProducerID) { ingress[line: line.index] = producer }

    /// Producers whose lines the client no longer sends on; they feed nothing any more.
    func takeEnded() -> [ProducerID] {
        var ended: [ProducerID] = []
        for (index, producer) in ingress.bound where !negotiator.lines[index].direction.receives {
            ingress[line: index] = nil
            ended.append(producer)
        }
        return ended
    }

    // MARK: What is sent

    /// Copies that have a line and no consumer yet, with their streams.
    func openCopies() -> [(index: Int, stream: SendStreamConfiguration, configuration: ConsumerConfiguration)] {
        copies.indices.compactMap { index in
            let copy = copies[index]
            guard let number = copy.line, copy.consumer == nil else { return nil }
            let line = negotiator.lines[number]
            guard line.direction.sends, let codec = line.counterpart(of: copy.format.codec),
                let stream = line.sendStream(
                    codec, cache: TrackFormat.cache(codec, copy.kind, hasRTX: copy.description.rtxSSRC != nil))
            else { return nil }
            return (index, stream, copy.configuration(stream, on: line, using: &random))
        }
    }

    func start(_ index: Int, _ consumer: ConsumerID, _ stream: SendStreamConfiguration) {
        copies[index].consumer = consumer
        peer.addSendStream(stream)
    }
}

/// A track that one participant is to be sent.
struct FakeCopy {
    let trackID: String
    let producer: ProducerID
    let kind: StreamKind
    let format: TrackFormat
    let description: SendDescription
    /// The line that carries it.
    var line: Int?
    var consumer: ConsumerID?

    init(
        trackID: String, ownerID: String, producer: ProducerID, kind: StreamKind, format: TrackFormat,
        using random: inout SeededGenerator
    ) {
        self.trackID = trackID
        self.producer = producer
        self.kind = kind
        self.format = format
        description = SendDescription(
            streamID: ownerID, trackID: trackID, ssrc: .random(in: 1 ... .max, using: &random),
            rtxSSRC: kind == .video ? .random(in: 1 ... .max, using: &random) : nil)
    }

    func configuration(
        _ stream: SendStreamConfiguration, on line: MediaLine, using random: inout SeededGenerator
    ) -> ConsumerConfiguration {
        var configuration = ConsumerConfiguration(
            ssrc: stream.ssrc, payloadType: stream.payloadType, rtxSSRC: stream.rtxSSRC,
            rtxPayloadType: stream.rtxPayloadType, redundancyPayloadType: format.redundancyPayloadType(on: line),
            eventPayloadType: format.eventPayloadType(on: line),
            firstSequence: .random(in: 0..<0x8000, using: &random),
            firstRTXSequence: .random(in: 0..<0x8000, using: &random))
        configuration.hasDependencyDescriptor = line.extensionMap.id(for: .dependencyDescriptor) != 0
        return configuration
    }
}

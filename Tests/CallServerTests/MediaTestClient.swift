import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RTCTransport
import RTCWire

@testable import RTCCore

/// A client's media connection: the same `Peer` and `Negotiator` that our participants use, and a place where what comes
/// in is written down. Payload types and extension ids of its offers are drawn from a seed.
// Touched on `eventLoop` only; the tests hop.
final class MediaTestClient: @unchecked Sendable {
    struct Received: Sendable, Hashable {
        var payloadType: UInt8
        var ssrc: UInt32
        var sequence: UInt16
        var level: UInt8?
        /// Header extensions on the wire, with their own header; 0 for none.
        var extensionBytes = 0
        var timestamp: UInt32 = 0
        var isRetransmission = false
        var payload: [UInt8]
    }

    /// A sender report of the server.
    struct Report: Sendable, Hashable {
        var ssrc: UInt32
        var at: Instant
    }

    let packets: AsyncStream<Received>
    /// What has come on data channels.
    let messages: AsyncStream<[UInt8]>
    /// The server's sender reports.
    let reports: AsyncStream<Report>
    private let eventLoop: any EventLoop
    private let mux: UDPMux
    private let flow: PeerFlow
    private var negotiator: Negotiator
    private let incoming: AsyncStream<Received>.Continuation
    private let incomingMessages: AsyncStream<[UInt8]>.Continuation
    private let incomingReports: AsyncStream<Report>.Continuation
    private var dataChannel: DataChannelID?
    private let dataOpened: EventLoopPromise<Void>
    private let connected: EventLoopPromise<Void>
    private let handler = Handler()
    /// The ICE generation of the server that the peer knows.
    private var generation: Int?

    /// As browsers have them: sound isn't repeated.
    static var browserCodecs: [CodecCapability] {
        var opus = CodecCapability.opus
        opus.feedback = []
        return [opus, .vp8]
    }

    static func make(
        seed: UInt64, codecs: [CodecCapability] = MediaTestClient.browserCodecs, offers: Bool = true,
        overTCP: Bool = false
    ) async throws -> MediaTestClient {
        let loop = try DatagramLoop()
        var settings = UDPMuxConfiguration()
        settings.isExclusive = true
        settings.opensStreams = overTCP
        let certificate = try DTLSCertificate.generate()
        return try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0, configuration: settings)
            .flatMapThrowing {
                try MediaTestClient(
                    $0, certificate, seed: seed, codecs: codecs, offers: offers, overTCP: overTCP)
            }.get()
    }

    private init(
        _ mux: UDPMux, _ certificate: DTLSCertificate, seed: UInt64, codecs: [CodecCapability], offers: Bool,
        overTCP: Bool
    ) throws {
        self.mux = mux
        eventLoop = mux.eventLoop
        connected = mux.eventLoop.makePromise()
        dataOpened = mux.eventLoop.makePromise()
        (packets, incoming) = AsyncStream.makeStream()
        (messages, incomingMessages) = AsyncStream.makeStream()
        (reports, incomingReports) = AsyncStream.makeStream()
        let peer = PeerConfiguration(iceRole: offers ? .controlling : .controlled, certificate: certificate)
        guard let flow = mux.makeFlow(configuration: peer, handler: handler) else { throw ChannelError.inputClosed }
        self.flow = flow
        var configuration = NegotiatorConfiguration(
            credentials: flow.peer.localCredentials, fingerprint: certificate.fingerprint)
        configuration.numbering = .random(seed: seed)
        configuration.codecs = codecs
        configuration.congestionFeedback = .transportWide
        negotiator = Negotiator(configuration: configuration)
        flow.perform { peer, _, _ in
            if overTCP {
                peer.addTCPCandidate(.active, mux.localAddress)
            } else {
                peer.addLocalCandidate(mux.localAddress)
            }
        }
        negotiator.localCandidates = flow.peer.localCandidates.map { $0.sdp(ufrag: flow.peer.localCredentials.ufrag) }
        handler.onPacket = { [incoming] in incoming.yield($0) }
        handler.onConnected = { [connected] in connected.succeed() }
        handler.onMessage = { [incomingMessages] in incomingMessages.yield($0) }
        handler.onReport = { [incomingReports] in incomingReports.yield($0) }
        handler.onDataOpened = { [dataOpened] in dataOpened.succeed() }
    }

    deinit {
        connected.fail(ChannelError.eof)
        dataOpened.fail(ChannelError.eof)
    }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await eventLoop.submit(body).get()
    }

    func offer(
        audioReceivers: Int = 0, videoReceivers: Int = 0, application: Bool = false
    ) async throws -> String {
        try await onLoop { [self] in
            for _ in 0..<audioReceivers { negotiator.addLine(kind: .audio, direction: .recvonly) }
            for _ in 0..<videoReceivers { negotiator.addLine(kind: .video, direction: .recvonly) }
            if application { negotiator.addLine(kind: .application) }
            return try negotiator.createOffer().description
        }
    }

    /// Adds a line that sends, as clients announce theirs: the track id is the cid.
    func addSender(_ kind: SDPMediaKind, cid: String, ssrc: UInt32) async throws {
        try await onLoop { [self] in
            _ = negotiator.addLine(
                kind: kind, direction: .sendonly,
                send: SendDescription(
                    streamID: "-", trackID: cid, ssrc: ssrc, rtxSSRC: kind == .video ? ssrc + 1 : nil))
        }
    }

    /// Says this of VP8 on every line from the next offer on, as clients do for the sake of what they publish.
    func sayOfVideo(_ parameters: String) async throws {
        try await onLoop { [self] in
            for line in negotiator.lines where line.kind == .video {
                negotiator.setParameters(line.index, codec: "VP8", SDPFormatParameters(parsing: parameters))
            }
        }
    }

    func stopSender(cid: String) async throws {
        try await onLoop { [self] in
            for line in negotiator.lines where line.send?.trackID == cid {
                negotiator.clearSend(line.index)
                negotiator.setDirection(line.index, .inactive)
            }
        }
    }

    func take(answer text: String) async throws {
        try await onLoop { [self] in
            try negotiator.applyAnswer(SDPSession(parsing: text))
            apply()
        }
    }

    /// - Parameter restarting: answers an ICE restart of the server by one of ours.
    func answer(_ text: String, restarting: Bool = false) async throws -> String {
        try await onLoop { [self] in
            let change = try negotiator.applyOffer(SDPSession(parsing: text))
            if restarting, change.restartedICE { beginGeneration() }
            let answer = try negotiator.createAnswer().description
            apply()
            return answer
        }
    }

    func add(candidate: String) async throws {
        try await onLoop { [self] in
            let candidate = try ICECandidate(parsing: candidate)
            flow.perform { peer, outbox, now in _ = peer.addRemoteCandidate(candidate, now: now, into: outbox) }
        }
    }

    /// The next offer begins a new ICE generation.
    func restartICE() async throws {
        try await onLoop { [self] in beginGeneration() }
    }

    private func beginGeneration() {
        flow.perform { peer, outbox, now in _ = peer.restartICE(now: now, into: outbox) }
        let credentials = flow.peer.localCredentials
        negotiator.restartICE(credentials)
        negotiator.localCandidates = flow.peer.localCandidates.map { $0.sdp(ufrag: credentials.ufrag) }
    }

    /// Our ICE user name fragment, which changes with every restart.
    func ufrag() async throws -> String { try await onLoop { [self] in flow.peer.localCredentials.ufrag } }

    /// How often ICE has chosen a pair.
    func iceSelections() async throws -> UInt64 { try await onLoop { [self] in flow.peer.iceStatistics.selections } }

    private func apply() {
        let streams = negotiator.lines.compactMap { $0.sendStream() }
        flow.perform { peer, outbox, now in
            peer.setReceiveMap(ReceiveMap(negotiator.lines))
            peer.setSCTP(negotiator.lines)
            let known = Set(peer.sendStreams.map(\.ssrc))
            for stream in streams where !known.contains(stream.ssrc) { peer.addSendStream(stream) }
            guard let remote = negotiator.remoteTransport, remote.generation != generation else { return }
            generation = remote.generation
            peer.setRemote(
                credentials: ICECredentials(ufrag: remote.ufrag, pwd: remote.pwd), fingerprint: remote.fingerprint,
                dtlsRole: remote.localRole, now: now, into: outbox)
        }
    }

    func untilConnected() async throws {
        let guardTime = eventLoop.scheduleTask(in: .seconds(20)) { [connected] in connected.fail(ChannelError.eof) }
        defer { guardTime.cancel() }
        try await connected.futureResult.get()
    }

    func send(ssrc: UInt32, timestamp: UInt32, marker: Bool = false, level: UInt8? = nil, _ payload: [UInt8])
        async throws
    {
        try await onLoop { [self] in
            var extensions = RTPExtensions()
            extensions.audioLevel = level.map { AudioLevel(level: $0, voice: true) }
            payload.withUnsafeBytes { bytes in
                flow.perform { peer, outbox, now in
                    peer.send(
                        ssrc: ssrc, marker: marker, timestamp: timestamp, extensions: extensions, payload: bytes,
                        now: now,
                        into: outbox)
                }
            }
        }
    }

    /// Sends a packet of sound every 20 ms until it is cancelled.
    func speak(ssrc: UInt32, level: UInt8? = nil, _ sound: [UInt8] = [0x78, 1, 2, 3]) -> RepeatedTask {
        var extensions = RTPExtensions()
        extensions.audioLevel = level.map { AudioLevel(level: $0, voice: true) }
        let timestamp = NIOLoopBoundBox.makeBoxSendingValue(UInt32(0), as: UInt32.self, eventLoop: eventLoop)
        return eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(20)) { [self, extensions] _ in
            timestamp.value &+= 960
            sound.withUnsafeBytes { bytes in
                flow.perform { peer, outbox, now in
                    peer.send(
                        ssrc: ssrc, marker: false, timestamp: timestamp.value, extensions: extensions, payload: bytes,
                        now: now, into: outbox)
                }
            }
        }
    }

    /// Sends a VP8 key frame of 1,000 bytes every 20 ms until it is cancelled; its number stands behind the descriptor.
    /// With `layered` in three temporal layers, 0 2 1 2.
    func film(ssrc: UInt32, layered: Bool = false) -> RepeatedTask {
        let count = NIOLoopBoundBox.makeBoxSendingValue(UInt32(0), as: UInt32.self, eventLoop: eventLoop)
        return eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(20)) { [self] _ in
            count.value &+= 1
            let number = count.value
            var picture = [UInt8](repeating: 0, count: 1_000)
            picture.replaceSubrange(0..<4, with: [0x90, 0x80, UInt8(number & 0x7f), 0x10])
            if layered {
                let layer: UInt8 = [0x00, 0xa0, 0x60, 0xa0][Int(number & 3)]
                let head = [0x90, 0xe0, UInt8(number & 0x7f), UInt8(number / 4 & 0xff), layer, 0x10]
                picture.replaceSubrange(0..<6, with: head)
            }
            picture.replaceSubrange(6..<10, with: (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
            picture.withUnsafeBytes { bytes in
                flow.perform { peer, outbox, now in
                    peer.send(
                        ssrc: ssrc, marker: true, timestamp: number &* 1800, payload: bytes, now: now, into: outbox)
                }
            }
        }
    }

    /// What the numbers of a line are, on this side.
    func payloadType(mid: String) async throws -> UInt8? {
        try await onLoop { [self] in negotiator.line(mid: mid)?.codecs.first?.payloadType }
    }

    /// How many packets of a stream have left, without repetitions.
    func sentPackets(ssrc: UInt32) async throws -> Int {
        try await onLoop { [self] in Int(flow.peer.sendStatistics(ssrc: ssrc)?.packets ?? 0) }
    }

    /// How often the server has asked for a key frame.
    func keyFrameRequests(ssrc: UInt32) async throws -> Int {
        try await onLoop { [self] in flow.peer.sendStatistics(ssrc: ssrc)?.plisReceived ?? 0 }
    }

    // MARK: What honest clients don't send

    /// Seals RTCP of any content and sends it.
    func send(rtcp bytes: [UInt8]) async throws {
        try await onLoop { [self] in
            flow.perform { peer, outbox, _ in
                let target = outbox.reserve(bytes.count)
                target.copyBytes(from: bytes)
                guard let remote = peer.selectedPair?.remote,
                    let length = peer.srtp?.protectRTCP(target, length: bytes.count)
                else { return }
                outbox.commit(length, to: remote)
            }
        }
    }

    /// Seals RTP of any content and sends it.
    func send(rtp bytes: [UInt8]) async throws {
        try await onLoop { [self] in
            flow.perform { peer, outbox, _ in
                let target = outbox.reserve(bytes.count)
                target.copyBytes(from: bytes)
                guard let remote = peer.selectedPair?.remote,
                    let length = peer.srtp?.protectRTP(target, length: bytes.count, payloadOffset: 12)
                else { return }
                outbox.commit(length, to: remote)
            }
        }
    }

    /// What was counted of a received stream, and of the connection.
    func received(ssrc: UInt32) async throws -> StreamStatistics? {
        try await onLoop { [self] in flow.peer.receiveStatistics(ssrc: ssrc) }
    }

    func peerStatistics() async throws -> PeerStatistics { try await onLoop { [self] in flow.peer.statistics } }

    // MARK: Data

    /// Opens the channel on which reliable packets travel both ways, and waits until it is open.
    func openReliable() async throws {
        try await onLoop { [self] in
            let configuration = DataChannelConfiguration(label: "_reliable", isOrdered: true, reliability: .reliable)
            dataChannel = try flow.openDataChannel(configuration).get()
        }
        let guardTime = eventLoop.scheduleTask(in: .seconds(20)) { [dataOpened] in dataOpened.fail(ChannelError.eof) }
        defer { guardTime.cancel() }
        try await dataOpened.futureResult.get()
    }

    func send(message bytes: [UInt8]) async throws {
        try await onLoop { [self] in
            guard let dataChannel else { throw ChannelError.outputClosed }
            try flow.sendMessage(bytes, isText: false, on: dataChannel).get()
        }
    }

    func close() async throws {
        incoming.finish()
        incomingMessages.finish()
        incomingReports.finish()
        try await mux.close().get()
        try await mux.loop.shutdownGracefully()
    }

    private final class Handler: PeerFlowHandler {
        var onPacket: (Received) -> Void = { _ in }
        var onConnected: () -> Void = {}
        var onMessage: ([UInt8]) -> Void = { _ in }
        var onDataOpened: () -> Void = {}
        var onReport: (Report) -> Void = { _ in }

        func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {
            onPacket(
                Received(
                    payloadType: packet.header.payloadType, ssrc: packet.ssrc, sequence: packet.header.sequenceNumber,
                    level: packet.extensions.audioLevel?.level, extensionBytes: packet.header.extensionLength,
                    timestamp: packet.header.timestamp, isRetransmission: packet.isRetransmission,
                    payload: Array(buffer[packet.payload])))
        }

        func handle(_ event: PeerEvent, on flow: PeerFlow) {
            switch event {
            case .stateChanged(.connected): onConnected()
            case .dataMessage(_, let bytes, _): onMessage(bytes)
            case .dataChannelOpened: onDataOpened()
            case .senderReport(let ssrc, _, _, let arrival): onReport(Report(ssrc: ssrc, at: arrival))
            default: break
            }
        }
    }
}

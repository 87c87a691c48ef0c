import Glibc
import RTCCore
import RTCWire

extension SessionStatistics {
    /// The objects of W3C webrtc-stats, of all connections together. Tracks and connections that have ended have none.
    ///
    /// - Parameter timestamp: milliseconds since 1970, as all objects carry it.
    public func report(timestamp: Double) -> StatsReport {
        var writer = StatsWriter(timestamp: timestamp)
        for connection in connections { writer.write(connection) }
        for sender in senders { writer.write(sender) }
        for receiver in receivers { writer.write(receiver) }
        return StatsReport(timestamp: timestamp, stats: writer.objects)
    }
}

/// Makes the objects of a report and the ids by which they refer to each other.
struct StatsWriter {
    let timestamp: Double
    private(set) var objects: [StatsObject] = []
    private var codecs: Set<String> = []
    private var playouts: Set<String> = []

    init(timestamp: Double) { self.timestamp = timestamp }

    // MARK: Tracks

    mutating func write(_ sender: SenderStatistics) {
        let (detail, kind) = (sender.detail, sender.kind.rawValue)
        guard !detail.connection.isEmpty else { return }
        let source = "S\(detail.connection)-\(detail.mid)"
        objects.append(
            .mediaSource(
                MediaSourceStats(
                    id: source, timestamp: timestamp, kind: kind, trackIdentifier: sender.trackID,
                    audioLevel: sender.soundLevel.map { $0 >= 127 ? 0 : pow(10, -Double($0) / 20) })))
        let codec = write(detail.codec, sender.kind, detail.connection, isSent: true)
        for (index, stream) in detail.streams.enumerated() {
            let remote = stream.counted.reportsReceived > 0 ? "RI\(detail.connection)-\(stream.ssrc)" : nil
            var stats = outbound(stream, detail, kind, source: source, codec: codec, remote: remote)
            if sender.layers.indices.contains(index) {
                stats.describe(sender.layers[index], index, sender.layers.count)
            }
            objects.append(.outboundRTP(stats))
            guard let remote else { continue }
            objects.append(.remoteInboundRTP(arrived(stream, detail, kind, id: remote, local: stats.id, codec: codec)))
        }
    }

    private func outbound(
        _ stream: TrackDetail.Stream, _ detail: TrackDetail, _ kind: String, source: String, codec: String?,
        remote: String?
    ) -> OutboundRTPStreamStats {
        let counted = stream.counted
        let isVideo = kind == MediaKind.video.rawValue
        return OutboundRTPStreamStats(
            id: "O\(detail.connection)-\(stream.ssrc)", timestamp: timestamp, kind: kind, ssrc: stream.ssrc,
            mid: detail.mid.isEmpty ? nil : detail.mid, transportId: Self.transport(detail.connection),
            codecId: codec, mediaSourceId: source, remoteId: remote,
            packetsSent: counted.packets + counted.retransmitted,
            bytesSent: counted.bytes + counted.retransmittedBytes, retransmittedPacketsSent: counted.retransmitted,
            retransmittedBytesSent: counted.retransmittedBytes, nackCount: counted.nacksReceived,
            pliCount: isVideo ? counted.plisReceived : nil, firCount: isVideo ? counted.firsReceived : nil)
    }

    private func arrived(
        _ stream: TrackDetail.Stream, _ detail: TrackDetail, _ kind: String, id: String, local: String, codec: String?
    ) -> RemoteInboundRTPStreamStats {
        let counted = stream.counted
        return RemoteInboundRTPStreamStats(
            id: id, timestamp: timestamp, kind: kind, ssrc: stream.ssrc,
            transportId: Self.transport(detail.connection), codecId: codec, localId: local,
            packetsLost: counted.lost, jitter: counted.jitter, fractionLost: counted.fractionLost,
            roundTripTime: counted.roundTripTime?.seconds, totalRoundTripTime: counted.totalRoundTripTime.seconds,
            roundTripTimeMeasurements: counted.roundTripTimes)
    }

    mutating func write(_ receiver: ReceiverStatistics) {
        let detail = receiver.detail
        guard let stream = detail.streams.first else { return }
        let codec = write(detail.codec, receiver.kind, detail.connection, isSent: false)
        var stats = InboundRTPStreamStats(receiver)
        stats.id = "I\(detail.connection)-\(stream.ssrc)"
        stats.timestamp = timestamp
        stats.ssrc = stream.ssrc
        stats.mid = detail.mid.isEmpty ? nil : detail.mid
        stats.transportId = Self.transport(detail.connection)
        stats.codecId = codec
        if receiver.kind == .audio, playouts.contains(detail.connection) {
            stats.playoutId = Self.playout(detail.connection)
        }
        if let remote = stream.counted.remote {
            let id = "RO\(detail.connection)-\(stream.ssrc)"
            stats.remoteId = id
            objects.append(
                .remoteOutboundRTP(
                    RemoteOutboundRTPStreamStats(
                        id: id, timestamp: timestamp, kind: stats.kind, ssrc: stream.ssrc,
                        transportId: Self.transport(detail.connection), codecId: codec, localId: stats.id ?? "",
                        packetsSent: remote.packets, bytesSent: remote.octets,
                        reportsSent: stream.counted.reportsReceived, remoteTimestamp: Self.milliseconds(ntp: remote.ntp)
                    )))
        }
        objects.append(.inboundRTP(stats))
    }

    /// From 1900 in units of 2^-32 s to 1970 in milliseconds.
    static func milliseconds(ntp: UInt64) -> Double {
        (Double(ntp >> 32) - 2_208_988_800 + Double(ntp & 0xffff_ffff) / 4_294_967_296) * 1000
    }

    /// Writes a codec once; gives its id.
    private mutating func write(
        _ codec: TrackDetail.Codec?, _ kind: MediaKind, _ connection: String, isSent: Bool
    ) -> String? {
        guard let codec else { return nil }
        let id = "\(isSent ? "CO" : "CI")\(connection)-\(codec.payloadType)-\(codec.name)"
        guard codecs.insert(id).inserted else { return id }
        objects.append(
            .codec(
                CodecStats(
                    id: id, timestamp: timestamp, transportId: Self.transport(connection),
                    payloadType: Int(codec.payloadType), mimeType: "\(kind.rawValue)/\(codec.name)",
                    clockRate: codec.clockRate, channels: kind == .audio ? codec.channels : nil,
                    sdpFmtpLine: codec.parameters.isEmpty ? nil : codec.parameters)))
        return id
    }

    // MARK: Connections

    static func transport(_ connection: String) -> String { "T\(connection)" }
    private static func playout(_ connection: String) -> String { "AP\(connection)" }

    mutating func write(_ connection: ConnectionDetail) {
        let transport = Self.transport(connection.id)
        let open = connection.channels.count { $0.state == .open }
        objects.append(
            .peerConnection(
                PeerConnectionStats(
                    id: "P\(connection.id)", timestamp: timestamp, dataChannelsOpened: connection.channelsOpened,
                    dataChannelsClosed: connection.channelsOpened - open)))
        let selected = writePairs(connection, transport)
        objects.append(.transport(describe(connection, transport, selected)))
        for channel in connection.channels { objects.append(.dataChannel(describe(channel, connection.id))) }
        guard connection.playedTicks + connection.skippedTicks > 0 else { return }
        playouts.insert(connection.id)
        objects.append(.mediaPlayout(describePlayout(connection)))
    }

    private func describe(_ connection: ConnectionDetail, _ id: String, _ selected: String?) -> TransportStats {
        let counted = connection.counted
        return TransportStats(
            id: id, timestamp: timestamp, packetsSent: counted.datagramsSent - counted.checksSent,
            packetsReceived: counted.datagramsReceived - counted.checksReceived,
            bytesSent: counted.bytesSent - counted.checkBytesSent,
            bytesReceived: counted.bytesReceived - counted.checkBytesReceived,
            iceRole: connection.ice.role == .controlling ? "controlling" : "controlled",
            iceLocalUsernameFragment: connection.ice.ufrag, iceState: "\(connection.ice.state)",
            dtlsState: connection.dtls?.state.told ?? "new", dtlsRole: connection.dtls?.role.told ?? "unknown",
            srtpCipher: connection.srtpProfile, selectedCandidatePairId: selected,
            selectedCandidatePairChanges: Int(connection.ice.selections))
    }

    private func describe(_ channel: DataChannelStatistics, _ connection: String) -> DataChannelStats {
        DataChannelStats(
            id: "D\(connection)-\(channel.id.rawValue)", timestamp: timestamp, label: channel.label,
            protocol: channel.protocolName, dataChannelIdentifier: channel.stream.map(Int.init),
            state: channel.state.rawValue, messagesSent: channel.counted.messagesSent,
            bytesSent: channel.counted.bytesSent, messagesReceived: channel.counted.messagesReceived,
            bytesReceived: channel.counted.bytesReceived)
    }

    private func describePlayout(_ connection: ConnectionDetail) -> MediaPlayoutStats {
        let ticks = connection.playedTicks + connection.skippedTicks
        return MediaPlayoutStats(
            id: Self.playout(connection.id), timestamp: timestamp,
            synthesizedSamplesDuration: Double(connection.skippedTicks) * 0.02,
            synthesizedSamplesEvents: connection.skips, totalSamplesDuration: Double(ticks) * 0.02,
            totalSamplesCount: ticks * 960)
    }

    /// Writes candidates and pairs; gives the id of the pair that media takes.
    private mutating func writePairs(_ connection: ConnectionDetail, _ transport: String) -> String? {
        var locals: Set<String> = []
        var remotes: Set<String> = []
        var selected: String?
        for candidate in connection.ice.locals { write(candidate, connection.id, transport, &locals) }
        for candidate in connection.ice.remotes { write(candidate, connection.id, transport, &remotes) }
        for pair in connection.ice.pairs {
            // A selected pair may be of a generation whose candidates are gone.
            write(pair.local, connection.id, transport, &locals)
            write(pair.remote, connection.id, transport, &remotes)
            let (local, remote) = (
                Self.id(pair.local, connection.id), Self.id(pair.remote, connection.id)
            )
            let id = "CP\(local)-\(remote)"
            if pair.isSelected { selected = id }
            objects.append(
                .candidatePair(
                    CandidatePairStats(
                        id: id, timestamp: timestamp, transportId: transport, localCandidateId: local,
                        remoteCandidateId: remote, state: pair.state.rawValue, nominated: pair.isSelected,
                        currentRoundTripTime: pair.roundTripTime?.seconds,
                        availableOutgoingBitrate: pair.isSelected
                            ? connection.estimatedBitrate.map(Double.init) : nil)))
        }
        return selected
    }

    private static func id(_ candidate: LocalCandidate, _ connection: String) -> String {
        "LC\(connection)-\(candidate.type.name)-\(text(candidate.address))"
    }

    private static func id(_ candidate: RemoteCandidate, _ connection: String) -> String {
        // A peer-reflexive one takes the type that is signalled later.
        "RC\(connection)-\(text(candidate.address))"
    }

    private static func text(_ address: TransportAddress) -> String {
        "\(address.isTCP ? "tcp" : "udp")-\(address.host)-\(address.port)"
    }

    private mutating func write(
        _ candidate: LocalCandidate, _ connection: String, _ transport: String, _ known: inout Set<String>
    ) {
        let id = Self.id(candidate, connection)
        guard known.insert(id).inserted else { return }
        objects.append(
            .candidate(
                CandidateStats(
                    id: id, timestamp: timestamp, type: "local-candidate", transportId: transport,
                    address: candidate.address.host, port: Int(candidate.address.port),
                    candidateType: candidate.type.name, priority: candidate.priority,
                    foundation: candidate.foundation, relatedAddress: candidate.related?.host,
                    relatedPort: candidate.related.map { Int($0.port) })))
    }

    private mutating func write(
        _ candidate: RemoteCandidate, _ connection: String, _ transport: String, _ known: inout Set<String>
    ) {
        let id = Self.id(candidate, connection)
        guard known.insert(id).inserted else { return }
        objects.append(
            .candidate(
                CandidateStats(
                    id: id, timestamp: timestamp, type: "remote-candidate", transportId: transport,
                    address: candidate.address.host, port: Int(candidate.address.port),
                    candidateType: candidate.type.name, priority: candidate.priority,
                    foundation: candidate.foundation)))
    }
}

extension OutboundRTPStreamStats {
    fileprivate mutating func describe(_ layer: LayerStatistics, _ index: Int, _ count: Int) {
        rid = layer.rid.isEmpty ? nil : layer.rid
        encodingIndex = count > 1 ? index : nil
        framesSent = layer.framesSent
        if layer.width > 0 { (frameWidth, frameHeight) = (layer.width, layer.height) }
        active = layer.isActive
    }
}

extension DTLSState {
    /// W3C's `RTCDtlsTransportState`.
    fileprivate var told: String {
        switch self {
        case .new: "new"
        case .handshaking, .awaitingFingerprint: "connecting"
        case .connected: "connected"
        case .closed: "closed"
        case .failed: "failed"
        }
    }
}

extension DTLSRole {
    fileprivate var told: String { self == .client ? "client" : "server" }
}

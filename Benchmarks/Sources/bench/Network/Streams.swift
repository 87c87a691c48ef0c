import RTCCore
import RTCWire

/// The two streams of a benchmark's publisher, as a description would have agreed on them.
enum Streams {
    static let audioSSRC: UInt32 = 0x1001
    static let videoSSRC: UInt32 = 0x1002
    static let audioType: UInt8 = 111
    static let videoType: UInt8 = 96
    static let extensions = RTPExtensionMap([(1, .mid), (2, .absSendTime), (3, .audioLevel)])

    static func ssrc(_ kind: StreamKind) -> UInt32 { kind == .audio ? audioSSRC : videoSSRC }

    static func sending(_ kind: StreamKind, cache: SendStreamConfiguration.Cache? = nil) -> SendStreamConfiguration {
        SendStreamConfiguration(
            ssrc: ssrc(kind), payloadType: kind == .audio ? audioType : videoType,
            clockRate: kind == .audio ? 48_000 : 90_000, kind: kind, mid: ShortToken(kind == .audio ? "0" : "1"),
            extensionMap: extensions, cache: cache)
    }

    static let receiving = ReceiveMap(lines: [
        ReceiveMap.Line(
            index: 0, kind: .audio, mid: ShortToken("0"),
            codecs: [.init(payloadType: audioType, clockRate: 48_000)], extensionMap: extensions,
            sources: [.init(ssrc: audioSSRC)]),
        ReceiveMap.Line(
            index: 1, kind: .video, mid: ShortToken("1"),
            codecs: [.init(payloadType: videoType, clockRate: 90_000, nack: true, pli: true)],
            extensionMap: extensions, sources: [.init(ssrc: videoSSRC)]),
    ])
}

extension PeerConfiguration {
    /// One side of a benchmark's connection: the server's is controlled and the DTLS server.
    static func bench(_ role: ICERole, _ certificate: DTLSCertificate, _ profile: SRTPProfile) -> PeerConfiguration {
        var configuration = PeerConfiguration(iceRole: role, certificate: certificate)
        configuration.srtpProfiles = [profile]
        return configuration
    }
}

extension PlainPeer {
    /// Sends a packet of the pattern on the stream of its kind; the peer numbers it.
    func send(_ packet: SendPattern.Packet) {
        var extensions = RTPExtensions()
        if packet.kind == .audio { extensions.audioLevel = AudioLevel(level: 30, voice: true) }
        perform { peer, outbox, now in
            peer.send(
                ssrc: Streams.ssrc(packet.kind), marker: packet.marker, timestamp: packet.timestamp,
                extensions: extensions, payload: packet.payload, now: now, into: outbox)
        }
    }
}

/// Polls peers until all are connected. Throws after ten seconds.
func awaitConnection(of peers: [PlainPeer]) throws {
    for _ in 0..<10_000 {
        var isComplete = true
        for peer in peers {
            peer.poll()
            if !peer.isConnected { isComplete = false }
        }
        if isComplete { return }
        SendPattern.sleep(until: .now + .milliseconds(1))
    }
    throw BenchError("\(peers.count { !$0.isConnected }) of \(peers.count) peers did not connect")
}

import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// Certificates are slow to make and say nothing here.
let peerCertificates: (alice: DTLSCertificate, bob: DTLSCertificate)? = {
    guard let alice = try? DTLSCertificate.generate(), let bob = try? DTLSCertificate.generate() else { return nil }
    return (alice, bob)
}()

/// What one side of a test call sends and what it got from the other side.
final class PeerCallSide {
    let node: PeerNode
    let audioSSRC: UInt32
    let videoSSRC: UInt32
    let rtxSSRC: UInt32
    /// Every payload's number, in order of arrival.
    var audio: [UInt64] = []
    var video: [UInt64] = []
    var retransmissions = 0
    /// Packets whose bytes are not what was sent.
    var corrupt = 0
    var lines: Set<Int> = []
    var audioSent: UInt64 = 0
    var videoSent: UInt64 = 0

    init(node: PeerNode, base: UInt32) {
        self.node = node
        audioSSRC = base
        videoSSRC = base + 1
        rtxSSRC = base + 2
        node.onPacket = { [unowned self] in take($0, $1) }
    }

    func received(_ ssrc: UInt32) -> StreamStatistics? { node.peer.receiveStatistics(ssrc: ssrc) }
    func sent(_ ssrc: UInt32) -> StreamStatistics? { node.peer.sendStatistics(ssrc: ssrc) }

    private func take(_ packet: ReceivedRTP, _ buffer: UnsafeRawBufferPointer) {
        guard packet.payload.count >= 16 else { return corrupt += 1 }
        let payload = UnsafeRawBufferPointer(rebasing: buffer[packet.payload])
        let number = payload.loadUnaligned(as: UInt64.self)
        if !payload[8...].allSatisfy({ $0 == UInt8(truncatingIfNeeded: number) }) { corrupt += 1 }
        if packet.isRetransmission { retransmissions += 1 }
        lines.insert(packet.line)
        if packet.header.payloadType == 111 { audio.append(number) } else { video.append(number) }
    }
}

/// Two peers in a call: 50 Opus-sized packets a second, and VP8-sized frames of three packets thirty times a second.
final class PeerCall {
    let pair: PeerPair
    let alice: PeerCallSide
    let bob: PeerCallSide
    var extensions = RTPExtensionMap([(1, .audioLevel), (2, .absSendTime), (3, .mid), (4, .transportSequenceNumber)])
    var usesRTX = true
    var takesTransportFeedback = false
    /// Each side tells what the way to it bears (REMB).
    var takesReceiverEstimate = false

    init(
        _ conditions: NetworkConditions = NetworkConditions(), seed: UInt64 = 1, aliceRole: DTLSRole = .server,
        configure: (inout PeerConfiguration, _ isAlice: Bool) -> Void = { _, _ in }
    ) throws {
        let certificates = try #require(peerCertificates)
        pair = PeerPair(
            conditions, seed: seed, aliceRole: aliceRole, certificates: certificates, configure: configure)
        alice = PeerCallSide(node: pair.alice, base: 1000)
        bob = PeerCallSide(node: pair.bob, base: 2000)
    }

    var simulation: Simulation { pair.simulation }

    /// Negotiates the streams: announced by `a=ssrc` where `announced`, else found by mid.
    func negotiate(announced: Bool = true, audioNACK: Bool = true) {
        for (side, other) in [(alice, bob), (bob, alice)] {
            side.node.peer.addSendStream(
                SendStreamConfiguration(
                    ssrc: side.audioSSRC, payloadType: 111, clockRate: 48_000, kind: .audio, mid: ShortToken("0"),
                    extensionMap: extensions))
            side.node.peer.addSendStream(
                SendStreamConfiguration(
                    ssrc: side.videoSSRC, rtxSSRC: usesRTX ? side.rtxSSRC : nil, payloadType: 96,
                    rtxPayloadType: usesRTX ? 97 : nil, clockRate: 90_000, kind: .video, mid: ShortToken("1"),
                    extensionMap: extensions))
            side.node.peer.setReceiveMap(receiveMap(from: other, announced: announced, audioNACK: audioNACK))
        }
    }

    private func receiveMap(from side: PeerCallSide, announced: Bool, audioNACK: Bool) -> ReceiveMap {
        let video: [ReceiveMap.Codec] = [
            .init(
                payloadType: 96, clockRate: 90_000, nack: true, pli: true, fir: true,
                transportCC: takesTransportFeedback, remb: takesReceiverEstimate),
            .init(payloadType: 97, clockRate: 90_000, apt: 96),
        ]
        return ReceiveMap(lines: [
            .init(
                index: 0, kind: .audio, mid: ShortToken("0"),
                codecs: [.init(payloadType: 111, clockRate: 48_000, nack: audioNACK)], extensionMap: extensions,
                sources: announced ? [.init(ssrc: side.audioSSRC)] : []),
            .init(
                index: 1, kind: .video, mid: ShortToken("1"), codecs: usesRTX ? video : [video[0]],
                extensionMap: extensions,
                sources: announced ? [.init(ssrc: side.videoSSRC, rtxSSRC: usesRTX ? side.rtxSSRC : nil)] : []),
        ])
    }

    /// Connects; fails the test where that takes more than half a minute.
    func connect(announced: Bool = true, audioNACK: Bool = true) throws {
        negotiate(announced: announced, audioNACK: audioNACK)
        pair.connect()
        try #require(pair.runUntilConnected())
    }

    /// Sends media both ways for `duration`, then gives what is on its way `tail` to arrive.
    func talk(
        for duration: Interval, tail: Interval = .seconds(2), video: Bool = true, both: Bool = true
    ) {
        let end = simulation.now + duration
        for side in both ? [alice, bob] : [alice] {
            simulation.schedule(every: .milliseconds(20), from: simulation.now) { [unowned self] in
                sendAudio(side)
                return simulation.now < end
            }
            guard video else { continue }
            simulation.schedule(every: .microseconds(33_333), from: simulation.now) { [unowned self] in
                sendFrame(side)
                return simulation.now < end
            }
        }
        simulation.run(until: end + tail)
    }

    func sendAudio(_ side: PeerCallSide) {
        let number = side.audioSent
        side.audioSent += 1
        var extensions = RTPExtensions()
        extensions.audioLevel = AudioLevel(level: 30, voice: true)
        send(side, side.audioSSRC, number, size: 80, timestamp: UInt32(truncatingIfNeeded: number &* 960), extensions)
    }

    func sendFrame(_ side: PeerCallSide) {
        for index in 0..<UInt64(3) {
            let number = side.videoSent
            side.videoSent += 1
            let timestamp = UInt32(truncatingIfNeeded: number / 3 &* 3000)
            let size = side.node.peer.maximumPayload(ssrc: side.videoSSRC)
            send(side, side.videoSSRC, number, size: size, timestamp: timestamp, RTPExtensions(), marker: index == 2)
        }
    }

    private func send(
        _ side: PeerCallSide, _ ssrc: UInt32, _ number: UInt64, size: Int, timestamp: UInt32,
        _ extensions: RTPExtensions, marker: Bool = false
    ) {
        var payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
        payload.withUnsafeMutableBytes { $0.storeBytes(of: number, as: UInt64.self) }
        pair.drive(side.node) { peer, now, outbox in
            payload.withUnsafeBytes { bytes in
                _ = peer.send(
                    ssrc: ssrc, marker: marker, timestamp: timestamp, extensions: extensions, payload: bytes,
                    now: now, into: outbox)
            }
        }
    }

    /// Whether everything that one side sent has come, in any order and exactly once.
    func videoIsWhole(from side: PeerCallSide, to other: PeerCallSide) -> Bool {
        other.video.count == Int(side.videoSent) && Set(other.video) == Set(0..<side.videoSent)
    }

    func audioIsWhole(from side: PeerCallSide, to other: PeerCallSide) -> Bool {
        other.audio.count == Int(side.audioSent) && Set(other.audio) == Set(0..<side.audioSent)
    }
}

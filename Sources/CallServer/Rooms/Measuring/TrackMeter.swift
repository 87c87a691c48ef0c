import RTCCore
import RTCWire
import SFUCore

/// Follows one published track on its way to us.
struct ReceivedTrackMeter {
    var quality: TrackQuality
    /// Packets of the last window that didn't come here when they were sent, brought back later or not: no connection
    /// downstream is to blame for those.
    private(set) var missing = 0
    private var gapsBefore = 0
    private var window = CounterWindow()
    private var layerPackets: [UInt32: Int] = [:]

    init(_ content: TrackQuality.Content) { quality = TrackQuality(content) }

    /// Nothing is meant to come.
    mutating func rest() {
        quality.noteMuted()
        window.skip()
        missing = 0
    }

    /// - Parameters:
    ///   - layers: the track's streams.
    ///   - expectedLayer: the rank of the largest layer that the publisher should send.
    ///   - isHeard: anything at all has come over its connection since the last call.
    mutating func update(
        _ layers: [LayerReport], peer: borrowing Peer, expectedLayer: Int, isHeard: Bool, now: Instant
    ) {
        var packets = 0
        var bytes = 0
        var lost = 0
        var gaps = 0
        var jitter = 0.0
        var largest = 0
        for layer in layers {
            guard let counted = peer.receiveStatistics(ssrc: layer.ssrc) else { continue }
            packets += counted.packets
            bytes += counted.bytes
            gaps += max(0, counted.lost)
            // What was repeated in time is no loss.
            lost += max(0, counted.lost - counted.recovered)
            if counted.packets > layerPackets[layer.ssrc] ?? 0 {
                largest = max(largest, layer.rank)
                jitter = max(jitter, counted.jitter)
            }
            layerPackets[layer.ssrc] = counted.packets
        }
        missing = max(0, gaps - gapsBefore)
        gapsBefore = gaps
        guard var measured = window.take(packets: packets, lost: lost, bytes: bytes, now: now) else { return }
        measured.expectedPackets += measured.lostPackets
        measured.roundTrip = peer.roundTripTime?.milliseconds ?? 0
        measured.jitter = jitter * 1000
        measured.hasReports = isHeard
        measured.missingLayers = Double(max(0, expectedLayer - largest))
        quality.update(measured)
    }
}

/// Follows one track on its way to a subscriber.
struct SentTrackMeter {
    var quality: TrackQuality
    private var window = CounterWindow()

    init(_ content: TrackQuality.Content) { quality = TrackQuality(content) }

    mutating func rest() {
        quality.noteMuted()
        window.skip()
    }

    mutating func starve() {
        quality.notePaused()
        window.skip()
    }

    /// - Parameters:
    ///   - reports: of the subscriber, since the last call.
    ///   - upstream: packets that were missing when they should have been sent on.
    ///   - missingLayers: that the subscriber wants and its connection doesn't bear.
    mutating func update(
        _ counted: StreamStatistics, reports: SubscriberFeedback.Reports, upstream: Int, missingLayers: Int,
        isHeard: Bool, now: Instant
    ) {
        guard
            var measured = window.take(packets: counted.packets, lost: counted.lost, bytes: counted.bytes, now: now),
            measured.expectedPackets > 0
        else { return }
        measured.lostPackets = min(max(0, measured.lostPackets - upstream), measured.expectedPackets - 1)
        if reports.count == 0, !isHeard {
            measured.lostPackets = measured.expectedPackets
            measured.hasReports = false
        }
        measured.roundTrip = reports.roundTrip.milliseconds
        measured.jitter = reports.jitter * 1000
        measured.missingLayers = Double(missingLayers)
        quality.update(measured)
    }
}

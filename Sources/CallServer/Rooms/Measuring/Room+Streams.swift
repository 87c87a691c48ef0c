import RTCCore
import RTCWire
import RoomModel
import SFUCore

/// What a room measures to share bandwidth out, and to tell how good connections are.
struct RoomMeasures {
    /// How often bandwidth is shared out anew.
    static let interval = Interval.milliseconds(250)

    /// Of every published layer, by track and SSRC.
    var layerRates: [String: [UInt32: LayerRates]] = [:]
    var ticks = 0
    /// When the connections' sender reports leave next.
    var reportsDue: Instant = .zero
    var quality = RoomQuality()
}

extension Room {
    /// Some times a second: measures what is published and shares out what each member's connections bear.
    func updateStreams(now: Instant) {
        guard !members.isEmpty else { return }
        measures.layerRates = measures.layerRates.filter { feeds[$0.key] != nil }
        for (track, feed) in feeds where machine.track(track)?.kind == .video { measure(track, feed, now) }
        for member in members.values { shareBandwidth(of: member, now) }
        measures.ticks += 1
        keepRhythms(now)
        if measures.ticks % Room.ticksPerQuality == 0 { updateQuality(now) }
    }

    private static let ticksPerQuality = Int(TrackQuality.window.nanoseconds / RoomMeasures.interval.nanoseconds)

    private func measure(_ track: String, _ feed: TrackFeed, _ now: Instant) {
        let known = measures.layerRates[track] ?? [:]
        var rates: [UInt32: LayerRates] = [:]
        for layer in media.layers(of: feed.producer) {
            rates[layer.ssrc] = known[layer.ssrc] ?? LayerRates()
            rates[layer.ssrc]?.update(layer.layerBytes, now: now)
        }
        measures.layerRates[track] = rates
    }

    private func shareBandwidth(of member: any RoomMember, _ now: Instant) {
        member.willShareBandwidth(now: now)
        for connection in member.receivers { shareBandwidth(connection, of: member, now) }
    }

    /// Without waiting for the next time, where a connection turns out to bear less than it is sent.
    func shareBandwidth(of connection: MediaConnection) {
        guard let member = members.values.first(where: { $0.receivers.contains { $0 === connection } }) else { return }
        shareBandwidth(connection, of: member, isDue: false, connection.flow.now)
    }

    private func shareBandwidth(
        _ connection: MediaConnection, of member: any RoomMember, isDue: Bool = true, _ now: Instant
    ) {
        let policy = member.pausePolicy(on: connection)
        let changed = connection.shareBandwidth(measures.layerRates, policy, isDue: isDue, now: now)
        let pauses = changed.map { track, change in
            TrackPause(track: track, publisher: machine.roster.track(track)?.publisher.id ?? "", change: change)
        }
        if !pauses.isEmpty { member.tell(pauses, on: connection, now: now) }
    }
}

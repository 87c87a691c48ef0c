import LiveKitProtocol
import NIOCore
import RTCWire
import SFUCore

/// What a room's publishers have been told of the layers that are wanted.
struct RoomDynacast {
    /// By track.
    var demands: [String: LayerDemand] = [:]
    var timer: Scheduled<Void>?
}

extension LiveKitRoom {
    /// Counts anew what is wanted of video tracks, all or some, and tells the publishers whom it concerns.
    func updateDemand(of changed: Set<String>? = nil, now: Instant) {
        dynacast.demands = dynacast.demands.filter { tracks[$0.key] != nil }
        let wanted = largestWanted(of: changed)
        for track in tracks.values where track.kind == .video && track.producer != nil {
            guard changed?.contains(track.sid) ?? true else { continue }
            let largest = wanted[track.sid] ?? LayerDemand.nobody
            if let told = dynacast.demands[track.sid, default: LayerDemand()].update(largest, now: now) {
                tellDemand(told, of: track)
            }
        }
        scheduleDemand(now)
    }

    /// The largest layer that the subscribers of each track want. The publisher's own mute doesn't count: who unmutes is
    /// wanted with all layers at once.
    private func largestWanted(of tracks: Set<String>?) -> [String: Int] {
        var largest: [String: Int] = [:]
        for participant in participants.values {
            for send in participant.subscriber.sends where !send.isRefused && tracks?.contains(send.trackID) ?? true {
                let wanted = send.wantedLayer ?? LayerDemand.nobody
                largest[send.trackID] = max(largest[send.trackID] ?? LayerDemand.nobody, wanted)
            }
        }
        return largest
    }

    private func scheduleDemand(_ now: Instant) {
        dynacast.timer?.cancel()
        dynacast.timer = nil
        guard let next = dynacast.demands.values.compactMap(\.deadline).min() else { return }
        let delay = TimeAmount.nanoseconds(max(0, (next - now).nanoseconds))
        dynacast.timer = eventLoop.scheduleTask(in: delay) { [weak self] in
            self?.timed("demand") { $0.advanceDemand($1) }
        }
    }

    private func advanceDemand(_ now: Instant) {
        for sid in Array(dynacast.demands.keys) {
            if let told = dynacast.demands[sid]?.advance(to: now), let track = tracks[sid] {
                tellDemand(told, of: track)
            }
        }
        scheduleDemand(now)
    }

    /// Qualities up to `rank` are wanted. Told of tracks with one layer too.
    private func tellDemand(_ rank: Int, of track: LiveKitTrack) {
        let qualities = [Livekit_VideoQuality.low, .medium, .high].enumerated().map { index, quality in
            Livekit_SubscribedQuality.with {
                $0.quality = quality
                $0.enabled = index <= rank
            }
        }
        participants[track.publisher]?.send(
            .with {
                $0.subscribedQualityUpdate = .with {
                    $0.trackSid = track.sid
                    $0.subscribedQualities = qualities
                    $0.subscribedCodecs = [
                        .with {
                            $0.codec = track.format?.name.lowercased() ?? ""
                            $0.qualities = qualities
                        }
                    ]
                }
            })
    }
}

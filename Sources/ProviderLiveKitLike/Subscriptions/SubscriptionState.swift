import CallBridge
import LiveKitProtocol

/// What we want to receive, and who may receive ours: what a new session has to be told again. A value.
struct SubscriptionState: Sendable {
    /// What was asked for, by the server's track id; others follow the automatic subscription.
    private var subscriptions: [String: Bool] = [:]
    private var settings: [String: TrackSettings] = [:]
    private var layouts: [String: VideoLayout] = [:]
    /// What was last said of a track, so that nothing is said twice.
    private var lastSent: [String: Livekit_UpdateTrackSettings] = [:]
    var permissions = SubscriptionPermissions.everybody

    mutating func subscribe(_ subscribed: Bool, track: String) { subscriptions[track] = subscribed }

    /// Takes settings in; gives the message where it says something new.
    mutating func set(
        _ wanted: TrackSettings, track: Livekit_TrackInfo
    ) -> Livekit_UpdateTrackSettings? {
        settings[track.sid] = wanted
        return changedSettings(of: track)
    }

    /// Takes a layout in; gives the message where it says something new.
    mutating func set(_ layout: VideoLayout, track: Livekit_TrackInfo) -> Livekit_UpdateTrackSettings? {
        layouts[track.sid] = layout
        return changedSettings(of: track)
    }

    /// A track is gone for good.
    mutating func forget(_ track: String) {
        subscriptions[track] = nil
        settings[track] = nil
        layouts[track] = nil
        lastSent[track] = nil
    }

    private mutating func changedSettings(of track: Livekit_TrackInfo) -> Livekit_UpdateTrackSettings? {
        let message = AdaptiveStream.settings(
            for: track, wanted: settings[track.sid] ?? TrackSettings(), layout: layouts[track.sid])
        guard lastSent.updateValue(message, forKey: track.sid) != message else { return nil }
        return message
    }

    // MARK: For the next session

    /// The tracks that are not as the automatic subscription would have them.
    func exceptions(autoSubscribe: Bool) -> Livekit_UpdateSubscription {
        .with {
            $0.trackSids = subscriptions.filter { $0.value != autoSubscribe }.map(\.key).sorted()
            $0.subscribe = !autoSubscribe
        }
    }

    /// The tracks of which we want nothing for now.
    var disabledTracks: [String] { lastSent.filter { $0.value.disabled }.map(\.key).sorted() }

    /// Everything that differs from how a session begins, for tracks that are still there.
    func requests(autoSubscribe: Bool, roster: RemoteRoster) -> [Livekit_SignalRequest] {
        var requests: [Livekit_SignalRequest] = []
        for (track, wanted) in subscriptions.sorted(by: { $0.key < $1.key }) where wanted != autoSubscribe {
            guard let owner = roster.owner(of: track) else { continue }
            requests.append(.with { $0.subscription = .init(track: track, owner: owner, subscribe: wanted) })
        }
        for (track, message) in lastSent.sorted(by: { $0.key < $1.key }) where roster.owner(of: track) != nil {
            requests.append(.with { $0.trackSetting = message })
        }
        return requests
    }

    /// Who may receive what, in the server's ids.
    func permission(of publications: [Publication]) -> Livekit_SubscriptionPermission {
        var message = Livekit_SubscriptionPermission()
        message.allParticipants = permissions.allowsEverybody
        guard !permissions.allowsEverybody else { return message }
        message.trackPermissions = permissions.grants.map { grant in
            .with {
                $0.participantIdentity = grant.identity
                $0.allTracks = grant.trackIDs == nil
                $0.trackSids = publications.filter { grant.trackIDs?.contains($0.track.id) ?? false }.map(\.sid)
            }
        }
        return message
    }
}

extension Livekit_UpdateSubscription {
    init(track: String, owner: String, subscribe: Bool) {
        self.init()
        trackSids = [track]
        self.subscribe = subscribe
        participantTracks = [
            .with {
                $0.participantSid = owner
                $0.trackSids = [track]
            }
        ]
    }
}

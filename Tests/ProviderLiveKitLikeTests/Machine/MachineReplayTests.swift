import Testing

@testable import ProviderLiveKitLike

/// The recorded sessions of LiveKit's own clients, fed to the machine alone.
@Suite struct MachineReplayTests {
    @Test(arguments: TracePlan.all.map(\.name)) func theMachineSaysWhatTheRecordedClientSaid(name: String) throws {
        let plan = try #require(TracePlan.all.first { $0.name == name })
        var replay = MachineReplay(plan)
        try replay.run()
        for result in replay.results { #expect(result.differences == [], "\(name), line \(result.line)") }
        #expect(replay.leftovers == [])
        #expect(replay.results.map(\.kind) == Self.messages[name])
        #expect(replay.events == Self.events[name])
    }

    /// What was compared, so that nothing is left out in silence.
    private static let messages = [
        "python-v1": ["addTrack", "addTrack", "mute", "mute", "syncState", "subscriptionPermission", "leave"],
        "python-v0": [
            "addTrack", "addTrack", "mute", "mute", "leave", "addTrack", "addTrack", "subscriptionPermission", "leave",
        ],
        "chromium-v1": ["addTrack", "addTrack"],
        "chromium-v0": ["addTrack", "addTrack"],
    ]

    /// What the application is told.
    private static let events = [
        "python-v1": [
            "participantJoined", "roomUpdated", "subscriptionPermission", "subscriptionPermission",
            "localTrackSubscribed", "localTrackSubscribed", "speakersChanged", "speakersChanged", "roomUpdated",
            "connectionQuality", "speakersChanged", "reconnecting", "reconnected", "roomUpdated",
        ],
        "python-v0": [
            "participantJoined", "roomUpdated", "subscriptionPermission", "subscriptionPermission",
            "localTrackSubscribed", "streamPaused", "localTrackSubscribed", "speakersChanged", "speakersChanged",
            "roomUpdated", "connectionQuality", "speakersChanged", "reconnecting", "roomUpdated",
            "subscriptionPermission", "subscriptionPermission", "reconnected", "localTrackSubscribed",
            "localTrackSubscribed", "streamPaused", "speakersChanged", "connectionQuality",
        ],
        "chromium-v1": [
            "roomUpdated", "localTrackSubscribed", "localTrackSubscribed", "participantJoined",
            "subscriptionPermission", "speakersChanged", "trackPublished", "subscriptionPermission", "speakersChanged",
            "connectionQuality", "roomUpdated",
        ],
        "chromium-v0": ["roomUpdated", "speakersChanged", "roomUpdated", "connectionQuality"],
    ]
}

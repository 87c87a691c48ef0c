/// How time and network are made.
package enum ScenarioMode: String, CaseIterable, Sendable, Hashable, Codable {
    /// Simulated network and clock: an hour takes seconds, and the same seed gives the same course.
    case virtual
    /// A server, sockets and the machine's clock.
    case sockets
}

/// Who can carry a call.
package enum ScenarioProvider: String, CaseIterable, Sendable, Hashable, Codable {
    case livekit
    case opentok
}

package enum ScenarioMedia: String, CaseIterable, Sendable, Hashable, Codable {
    case audio
    case video
}

/// How somebody's call can end.
package enum ScenarioEnding: String, CaseIterable, Sendable, Hashable {
    /// They left.
    case left
    case removed
    case conversationEnded = "conversation-ended"
    case providerLost = "provider-lost"
    /// Somebody joined with their name.
    case duplicate
    /// They were never let in.
    case failed
    /// It goes on at the end of the scenario.
    case never
}

package enum ScenarioRingOutcome: String, CaseIterable, Sendable, Hashable {
    case connected
    case declined
    case missed
    case elsewhere
    case failed
    /// Nothing rang.
    case none
}

/// What can be told to somebody and be counted.
package enum ScenarioEvents {
    package static let names = [
        "participantJoined", "participantLeft", "trackPublished", "trackUnpublished", "trackSubscribed",
        "trackUnsubscribed", "trackMuted", "trackUnmuted", "activeSpeakerChanged", "reconnecting", "reconnected",
        "providerChanged", "streamPaused",
    ]
}

/// What somebody does, or what is done to them.
package enum ScenarioAction: Sendable, Hashable {
    case join
    case leave
    case mute([ScenarioMedia])
    case unmute([ScenarioMedia])
    case speak
    case hush
    /// Publishes the test card, or takes it back.
    case show
    case hide
    /// Into another network ("" for everybody's, nil stays), and to another address.
    case roam(String?, toNewAddress: Bool = false)
    case drop
    case restore
    case ring([String])
    case answer
    case decline
    case transfer(String)
    case remove
    case endRoom
    case stopProvider(ScenarioProvider)

    static let names = [
        "join", "leave", "mute", "unmute", "speak", "hush", "show", "hide", "roam", "drop", "restore", "ring",
        "answer", "decline", "transfer", "remove", "end-room", "stop-provider",
    ]

    /// What undoes it; nil where nothing does.
    func undone(before network: String?) -> ScenarioAction? {
        switch self {
        case .mute(let media): .unmute(media)
        case .speak: .hush
        case .hide: .show
        case .drop: .restore
        case .roam(let into, let moves): .roam(into == nil ? nil : network ?? "", toNewAddress: moves)
        default: nil
        }
    }
}

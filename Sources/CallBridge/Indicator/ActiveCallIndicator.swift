/// The active-call indicator (picture in picture) as a pure reducer: events of the call and of the user interface go in,
/// its appearance and what is to be done come out.
///
/// It is visible whenever a call is on and the call's own view is not, in the chat as well; nothing disables it. It shows
/// the counterpart: their picture where it is on, else their avatar. Of several participants it shows the one who speaks,
/// as the active-speaker tracker tells it; while nobody speaks the last one stays.
public struct ActiveCallIndicator: Sendable, Hashable {
    /// What an indicator is told.
    public enum Event: Sendable, Hashable {
        /// We are in a call.
        case callStarted
        /// The call is over.
        case callEnded
        /// The call's own view was shown or hidden.
        case callUI(isVisible: Bool)
        /// The conversation's chat was shown or hidden. It does not cover the call: the indicator stays.
        case chat(isVisible: Bool)
        /// Another participant came.
        case participantJoined(id: String)
        /// Another participant went.
        case participantLeft(id: String)
        /// Pictures of a participant's camera, or shared screen, can arrive.
        case videoOn(participantID: String, trackID: String)
        /// They no longer can: unpublished, or no longer received.
        case videoOff(participantID: String, trackID: String)
        /// The participant muted the track, or unmuted it.
        case videoMuted(Bool, trackID: String)
        /// Another participant speaks now; nil where nobody has spoken yet.
        case activeSpeaker(participantID: String?)
        /// The indicator was dragged beyond the edge.
        case movedOffScreen
        /// The bookmark was clicked or dragged back.
        case bookmarkPulled
        /// A click on the indicator.
        case clicked
        /// The indicator was dropped on the removal area.
        case droppedOnRemovalArea
    }

    /// What is to be done.
    public enum Action: Sendable, Hashable {
        /// Draw it so from now on.
        case show(IndicatorAppearance)
        /// Show the call's own view.
        case requestCallUI(UIRequestReason)
        /// Call the application's click handler.
        case callCustomHandler
        /// End the call; the conversation goes on.
        case endCall
    }

    /// Who acts on clicks.
    public var onClick = ButtonInterceptorAction.useInternalHandler
    /// How it looks now.
    public private(set) var appearance = IndicatorAppearance()
    /// How often the participant shown has changed while visible.
    public private(set) var switches = 0

    private var isInCall = false
    private var isCallUIVisible = false
    private var participants: [String] = []
    private var videos: [String: [String]] = [:]
    private var muted: Set<String> = []
    private var speaker: String?
    private var lastShown = IndicatorAppearance()

    /// An indicator outside any call; `callUIVisible`: whether the call's own view is on the screen.
    public init(callUIVisible: Bool = false) { isCallUIVisible = callUIVisible }

    /// Takes an event in; says what follows, in order.
    public mutating func apply(_ event: Event) -> [Action] {
        let intent = note(event)
        return redraw() + intent
    }

    private mutating func note(_ event: Event) -> [Action] {
        switch event {
        case .callStarted: begin()
        case .callEnded: end()
        case .callUI(let isVisible): isCallUIVisible = isVisible
        case .chat: break
        case .participantJoined(let id): if !participants.contains(id) { participants.append(id) }
        case .participantLeft(let id): forget(id)
        case .videoOn(let participant, let track): turnOn(track, of: participant)
        case .videoOff(let participant, let track):
            videos[participant]?.removeAll { $0 == track }
            muted.remove(track)
        case .videoMuted(true, let track): muted.insert(track)
        case .videoMuted(false, let track): muted.remove(track)
        case .activeSpeaker(let participant): speaker = participant ?? speaker
        case .movedOffScreen: if appearance.isVisible { appearance.placement = .bookmark }
        case .bookmarkPulled: appearance.placement = .onScreen
        case .clicked: return click()
        case .droppedOnRemovalArea: return appearance.isVisible ? [.endCall] : []
        }
        return []
    }

    private mutating func begin() {
        guard !isInCall else { return }
        isInCall = true
        switches = 0
    }

    private mutating func end() {
        isInCall = false
        participants = []
        videos = [:]
        muted = []
        speaker = nil
        appearance.placement = .onScreen
    }

    private mutating func forget(_ id: String) {
        participants.removeAll { $0 == id }
        videos[id] = nil
        if speaker == id { speaker = nil }
    }

    private mutating func turnOn(_ track: String, of participant: String) {
        guard videos[participant]?.contains(track) != true else { return }
        videos[participant, default: []].append(track)
    }

    /// A click on a bookmark only brings the indicator back.
    private mutating func click() -> [Action] {
        guard appearance.isVisible else { return [] }
        if appearance.placement == .bookmark {
            appearance.placement = .onScreen
            return []
        }
        switch onClick {
        case .useInternalHandler: return [.requestCallUI(.pipButtonPressed)]
        case .useCustomHandler: return [.callCustomHandler]
        }
    }

    private mutating func redraw() -> [Action] {
        appearance.isVisible = isInCall && !isCallUIVisible
        appearance.content = isInCall ? content : .empty
        guard appearance != lastShown else { return [] }
        let before = lastShown.content.participantID
        let after = appearance.content.participantID
        if appearance.isVisible, lastShown.isVisible, let before, let after, before != after { switches += 1 }
        let wasDrawn = lastShown.isVisible
        lastShown = appearance
        return appearance.isVisible || wasDrawn ? [.show(appearance)] : []
    }

    /// The speaker; before anybody spoke, and after the speaker went, who has been there longest, still with a picture first.
    private var content: IndicatorAppearance.Content {
        guard let shown = shownParticipant else { return .empty }
        if let track = picture(of: shown) { return .video(participantID: shown, trackID: track) }
        return .avatar(participantID: shown)
    }

    private var shownParticipant: String? {
        if let speaker, participants.contains(speaker) { return speaker }
        if let kept = lastShown.content.participantID, participants.contains(kept) { return kept }
        return participants.first { picture(of: $0) != nil } ?? participants.first
    }

    /// The newest picture: a shared screen comes after the camera.
    private func picture(of participant: String) -> String? { videos[participant]?.last { !muted.contains($0) } }
}

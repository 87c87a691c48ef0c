import Testing

@testable import CallBridge

@Suite("Active-call indicator")
struct ActiveCallIndicatorTests {
    private func inCall(_ participants: [String]) -> ActiveCallIndicator {
        var indicator = ActiveCallIndicator(callUIVisible: true)
        _ = indicator.apply(.callStarted)
        for id in participants { _ = indicator.apply(.participantJoined(id: id)) }
        return indicator
    }

    @Test("It is visible exactly while a call is on and its view is hidden, in the chat as well")
    func visibility() {
        var indicator = inCall(["ada"])
        #expect(!indicator.appearance.isVisible)
        let hidden = indicator.apply(.callUI(isVisible: false))
        #expect(hidden == [.show(.init(isVisible: true, content: .avatar(participantID: "ada")))])
        #expect(indicator.apply(.chat(isVisible: true)).isEmpty)
        #expect(indicator.appearance.isVisible)
        _ = indicator.apply(.callUI(isVisible: true))
        #expect(!indicator.appearance.isVisible)
        _ = indicator.apply(.callUI(isVisible: false))
        #expect(indicator.apply(.callEnded) == [.show(.init())])
    }

    @Test("No call, no indicator, whatever else happens")
    func nothingOutsideACall() {
        var indicator = ActiveCallIndicator()
        for event: ActiveCallIndicator.Event in [
            .callUI(isVisible: false), .chat(isVisible: true), .participantJoined(id: "ada"), .movedOffScreen, .clicked,
            .droppedOnRemovalArea, .activeSpeaker(participantID: "ada"),
        ] { #expect(indicator.apply(event).isEmpty, "\(event)") }
        #expect(indicator.appearance == IndicatorAppearance())
    }

    @Test("The counterpart's picture while it is on, else the avatar")
    func content() {
        var indicator = inCall(["ada"])
        _ = indicator.apply(.callUI(isVisible: false))
        _ = indicator.apply(.videoOn(participantID: "ada", trackID: "cam"))
        #expect(indicator.appearance.content == .video(participantID: "ada", trackID: "cam"))
        _ = indicator.apply(.videoMuted(true, trackID: "cam"))
        #expect(indicator.appearance.content == .avatar(participantID: "ada"))
        _ = indicator.apply(.videoMuted(false, trackID: "cam"))
        _ = indicator.apply(.videoOn(participantID: "ada", trackID: "screen"))
        #expect(indicator.appearance.content == .video(participantID: "ada", trackID: "screen"))
        _ = indicator.apply(.videoOff(participantID: "ada", trackID: "screen"))
        _ = indicator.apply(.videoOff(participantID: "ada", trackID: "cam"))
        #expect(indicator.appearance.content == .avatar(participantID: "ada"))
    }

    @Test("Of several the one who speaks; nobody speaking keeps the last; who leaves is replaced")
    func speaker() {
        var indicator = inCall(["ada", "bob", "eve"])
        _ = indicator.apply(.callUI(isVisible: false))
        _ = indicator.apply(.activeSpeaker(participantID: "bob"))
        #expect(indicator.appearance.content == .avatar(participantID: "bob"))
        #expect(indicator.apply(.activeSpeaker(participantID: nil)).isEmpty)
        // Ourselves speaking, whom the indicator never shows.
        #expect(indicator.apply(.activeSpeaker(participantID: "me")).isEmpty)
        _ = indicator.apply(.activeSpeaker(participantID: "eve"))
        #expect(indicator.switches == 2)
        _ = indicator.apply(.participantLeft(id: "eve"))
        #expect(indicator.appearance.content == .avatar(participantID: "ada"))
        _ = indicator.apply(.participantLeft(id: "ada"))
        _ = indicator.apply(.participantLeft(id: "bob"))
        #expect(indicator.appearance.content == .empty)
        #expect(indicator.appearance.isVisible)
    }

    @Test("Off the screen it is a bookmark; a click on that only brings it back")
    func bookmark() {
        var indicator = inCall(["ada"])
        _ = indicator.apply(.callUI(isVisible: false))
        _ = indicator.apply(.movedOffScreen)
        #expect(indicator.appearance.placement == .bookmark)
        let clicked = indicator.apply(.clicked)
        #expect(clicked == [.show(.init(isVisible: true, content: .avatar(participantID: "ada")))])
        _ = indicator.apply(.movedOffScreen)
        _ = indicator.apply(.bookmarkPulled)
        #expect(indicator.appearance.placement == .onScreen)
    }

    @Test("A click goes to exactly one handler", arguments: [true, false])
    func click(custom: Bool) {
        var indicator = inCall(["ada"])
        indicator.onClick = custom ? .useCustomHandler : .useInternalHandler
        #expect(indicator.apply(.clicked).isEmpty, "hidden, there is nothing to click")
        _ = indicator.apply(.callUI(isVisible: false))
        #expect(indicator.apply(.clicked) == [custom ? .callCustomHandler : .requestCallUI(.pipButtonPressed)])
    }

    @Test("Dropped on the removal area it ends the call; the conversation's ends the conversation")
    func removalArea() {
        var call = inCall(["ada"])
        _ = call.apply(.callUI(isVisible: false))
        #expect(call.apply(.droppedOnRemovalArea) == [.endCall])
        var conversation = ActiveConversationIndicator()
        let shown = conversation.apply(.conversationOpened(id: "c1"))
        #expect(shown == [.show(isVisible: true, placement: .onScreen)])
        #expect(conversation.apply(.droppedOnRemovalArea) == [.closeConversation(id: "c1")])
        var fixed = ActiveConversationIndicator(hasRemovalArea: false)
        _ = fixed.apply(.conversationOpened(id: "c1"))
        #expect(fixed.apply(.droppedOnRemovalArea).isEmpty)
    }

    @Test("During a call the call's indicator stands in for the conversation's; only the latter can be disabled")
    func conversationIndicator() {
        var indicator = ActiveConversationIndicator()
        _ = indicator.apply(.conversationOpened(id: "c1"))
        #expect(indicator.apply(.callStarted) == [.show(isVisible: false, placement: .onScreen)])
        #expect(indicator.apply(.callEnded) == [.show(isVisible: true, placement: .onScreen)])
        let asked = ActiveConversationIndicator.Action.requestConversationUI(
            .floatingActiveConversationButtonPressed, conversationID: "c1")
        #expect(indicator.apply(.clicked) == [asked])
        indicator.onClick = .useCustomHandler
        #expect(indicator.apply(.clicked) == [.callCustomHandler])
        var disabled = ActiveConversationIndicator(isEnabled: false)
        #expect(disabled.apply(.conversationOpened(id: "c1")).isEmpty)
        #expect(!disabled.isVisible)
    }
}

import CallBridge
import MediaCore
import Testing

/// A call over a provider that the test scripts.
@Suite(.timeLimit(.minutes(10))) struct CallTests {
    private static func descriptor(_ provider: ProviderKind) -> CallDescriptor {
        CallDescriptor(
            callId: "c1", conversationId: "conversation", provider: provider, serviceProviderCallId: "room",
            endpoint: "ws://127.0.0.1:1", credentials: .init(token: "t"))
    }

    private static func bridge(_ providers: [ProviderRegistration], wants kind: ProviderKind = .liveKit) -> CallBridge {
        CallBridge(
            configuration: .init(descriptors: FixedDescriptorSource(descriptor(kind)), providers: providers))
    }

    private static let bob = Participant(
        id: "PA_bob", identity: "bob", tracks: [Track(id: "TR_1", kind: .audio, source: .microphone)])
    private static let carol = Participant(id: "PA_carol", identity: "carol")

    @Test func noProviderIsATypedError() async throws {
        let bridge = Self.bridge([])
        let error = await #expect(throws: CallError.self) { _ = try await bridge.join(conversation: "x") }
        #expect(error?.code == .noProviderInstalled)
        #expect(error?.fault == .configuration)
        await bridge.shutdown()
    }

    @Test func aMissingProviderIsNamedWithTheInstalledOnes() async throws {
        let bridge = Self.bridge([.init(ScriptedProvider(kind: .liveKit))], wants: .openTok)
        let error = await #expect(throws: CallError.self) { _ = try await bridge.join(conversation: "x") }
        #expect(error?.code == .providerNotInstalled)
        #expect(error?.message.contains("OPENTOK") == true)
        #expect(error?.message.contains("LIVEKIT") == true)
        await bridge.shutdown()
    }

    /// What is read keeps its size where the path is narrow: encoders have to know.
    @Test func whatIsPublishedAsAScreenIsOne() async throws {
        let bridge = Self.bridge([.init(ScriptedProvider(kind: .liveKit))])
        let call = try await bridge.join(conversation: "x")
        for source in [Track.Source.camera, .screenShare] {
            let media = try TestCardSource(sender: 1, width: 320, height: 180, frameRate: 10)
            let one = LocalTrack(.video(media, VideoEncoding()))
            try await call.publish(track: one, source: source)
            let several = LocalTrack(.video(media, VideoEncoding()))
            try await call.publish(tracks: [(several, source)])
            #expect(one.isScreen == (source == .screenShare) && several.isScreen == one.isScreen)
        }
        await call.leave()
        await bridge.shutdown()
    }

    @Test func theProviderBelongsToTheCall() async throws {
        let first = ScriptedProvider(kind: .liveKit)
        let second = ScriptedProvider(kind: .openTok)
        let bridge = Self.bridge([.init(first), .init(second)])
        for (provider, kind) in [(first, ProviderKind.liveKit), (second, .openTok)] {
            let call = try await bridge.join(Self.descriptor(kind))
            try await call.publish(.testTone(440))
            await call.leave()
            #expect(provider.session.done.withLock { $0 } == ["publish audio microphone", "leave"])
        }
        await bridge.shutdown()
    }

    @Test func eventsFollowTheProvider() async throws {
        let provider = ScriptedProvider(kind: .liveKit)
        let bridge = Self.bridge([.init(provider)])
        let call = try await bridge.join(conversation: "x")
        var events = call.events.makeAsyncIterator()
        #expect(await events.next().map(Self.text) == "state CONNECTING")
        let say = provider.session.say
        say.yield(.mediaConnected(srtpProfile: "P"))
        say.yield(.participantJoined(Self.bob))
        say.yield(.trackMuted(true, trackID: "TR_1", participantID: "PA_bob"))
        say.yield(.trackMuted(true, trackID: "TR_1", participantID: "PA_bob"))
        say.yield(.participantLeft(id: "PA_bob", .hangUp))
        say.yield(.ended(.conversationEnded, detail: "over"))
        var seen: [String] = []
        while let event = await events.next() { seen.append(Self.text(event)) }
        #expect(
            seen == [
                "connected", "state ACTIVE", "joined bob", "published audio", "muted audio", "unpublished audio",
                "left bob HANG_UP", "state ENDED", "ended CONVERSATION_ENDED",
            ], "nothing comes twice")
        #expect(await call.state == .ended)
        #expect(await call.connectMilliseconds != nil)
        await bridge.shutdown()
    }

    @Test func aLateReaderGetsTheState() async throws {
        let provider = ScriptedProvider(kind: .liveKit)
        let bridge = Self.bridge([.init(provider)])
        let call = try await bridge.join(conversation: "x")
        var first = call.events.makeAsyncIterator()
        provider.session.say.yield(.participantJoined(Self.bob))
        while let event = await first.next() {
            if case .trackPublished = event { break }
        }
        var late = call.events.makeAsyncIterator()
        #expect(await late.next().map(Self.text) == "state CONNECTING")
        #expect(await late.next().map(Self.text) == "joined bob")
        #expect(await late.next().map(Self.text) == "published audio")
        await call.leave()
        await bridge.shutdown()
    }

    @Test func theActiveSpeakerFollowsTheLevels() async throws {
        let provider = ScriptedProvider(kind: .liveKit)
        let bridge = Self.bridge([.init(provider)])
        let call = try await bridge.join(conversation: "x")
        var events = call.events.makeAsyncIterator()
        #expect(await events.next().map(Self.text) == "state CONNECTING")
        let say = provider.session.say
        say.yield(.participantJoined(Self.bob))
        say.yield(.participantJoined(Self.carol))
        for slot in 0..<400 {
            let speaker = slot < 200 ? "PA_bob" : "PA_carol"
            let levels = ["PA_bob", "PA_carol"].map { id in
                ParticipantLevel(
                    participantID: id, level: id == speaker ? 25 + slot % 7 : 100,
                    atNanoseconds: Int64(slot) * 20_000_000)
            }
            say.yield(.audioLevels(levels))
        }
        say.finish()
        var speakers: [String?] = []
        while let event = await events.next() {
            if case .activeSpeakerChanged(let participant) = event { speakers.append(participant?.name) }
        }
        #expect(speakers == ["bob", "carol"])
        #expect(await call.state == .ended, "a provider that falls silent for good has ended the call")
        await bridge.shutdown()
    }

    @Test func aLossIsNoEnd() async throws {
        let provider = ScriptedProvider(kind: .liveKit)
        let bridge = Self.bridge([.init(provider)])
        let call = try await bridge.join(conversation: "x")
        var events = call.events.makeAsyncIterator()
        #expect(await events.next().map(Self.text) == "state CONNECTING")
        for event in [ProviderEvent.mediaConnected(srtpProfile: "P"), .reconnecting(.quick), .reconnected(.quick)] {
            provider.session.say.yield(event)
        }
        var states: [String] = []
        while let event = await events.next() {
            states.append(Self.text(event))
            if case .reconnected(let gap, _) = event {
                #expect(gap >= 0)
                break
            }
        }
        #expect(states.suffix(3) == ["state RECONNECTING", "reconnecting quick", "reconnected"])
        await call.leave()
        await #expect(throws: CallError.self) { try await call.publish(.testTone(440)) }
        await bridge.shutdown()
    }

    /// Whoever begins to read is led by everything before, and misses nothing after: here at every moment of a growing call.
    @Test func aReaderAtAnyMomentMissesNobody() async throws {
        let provider = ScriptedProvider(kind: .liveKit)
        let bridge = Self.bridge([.init(provider)])
        let call = try await bridge.join(conversation: "x")
        let everybody = (0..<200).map { Participant(id: "PA_\($0)", identity: "p\($0)") }
        let readers = await withTaskGroup(of: [String].self) { group in
            for person in everybody {
                provider.session.say.yield(.participantJoined(person))
                let events = call.events
                group.addTask {
                    var names: [String] = []
                    for await case .participantJoined(let participant) in events { names.append(participant.identity) }
                    return names
                }
                await Task.yield()
            }
            provider.session.say.finish()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(readers.count == 200)
        for names in readers { #expect(names == everybody.map(\.identity)) }
        await bridge.shutdown()
    }

    @Test func aReaderAfterTheEndIsToldOfIt() async throws {
        let provider = ScriptedProvider(kind: .liveKit)
        let bridge = Self.bridge([.init(provider)])
        let call = try await bridge.join(conversation: "x")
        provider.session.say.yield(.ended(.conversationEnded, detail: "closed"))
        for await _ in call.events {}
        var told: [String] = []
        for await event in call.events { told.append(Self.text(event)) }
        #expect(told == ["state ENDED", "ended \(CallEndReason.conversationEnded.rawValue)"])
        await bridge.shutdown()
    }

    @Test func whoIsPutOutOfACallThatGoesOnKnowsWhy() async throws {
        let provider = ScriptedProvider(kind: .liveKit)
        let bridge = Self.bridge([.init(provider)])
        let call = try await bridge.join(conversation: "x")
        let before = await call.exclusion
        provider.session.say.yield(.excluded(.duplicateIdentity))
        provider.session.say.yield(.ended(.unknown, detail: "somebody joined with the same identity"))
        for await _ in call.events {}
        let after = await call.exclusion
        #expect(before == nil && after == .duplicateIdentity)
        await bridge.shutdown()
    }

    private static func text(_ event: CallEvent) -> String {
        switch event {
        case .stateChanged(let state): "state \(state.rawValue)"
        case .mediaConnected: "connected"
        case .providerChanged(let change): "provider \(change.to)"
        case .reconnected: "reconnected"
        case .participantJoined(let participant): "joined \(participant.identity)"
        case .participantUpdated(let participant): "updated \(participant.identity)"
        case .participantLeft(let participant, let reason): "left \(participant.identity) \(reason.rawValue)"
        case .trackPublished(let track, _): "published \(track.kind.rawValue)"
        case .trackUnpublished(let track, _): "unpublished \(track.kind.rawValue)"
        case .trackMuted(let track, _): "muted \(track.kind.rawValue)"
        case .trackUnmuted(let track, _): "unmuted \(track.kind.rawValue)"
        case .trackSubscribed(_, let track, _): "subscribed \(track.kind.rawValue)"
        case .trackUnsubscribed(let track, _): "unsubscribed \(track.kind.rawValue)"
        case .activeSpeakerChanged(let participant): "speaker \(participant?.name ?? "nobody")"
        case .reconnecting(let mode): "reconnecting \(mode.rawValue)"
        case .connectionQuality(let quality, let participant):
            "quality \(participant.identity) \(quality.level.rawValue)"
        case .streamState(let state, _, let participant): "stream \(participant.identity) \(state.rawValue)"
        case .localTrackMuted(let track): "local muted \(track.isMuted)"
        case .localTrackSubscribed(let track): "local subscribed \(track.kind.rawValue)"
        case .localPermissions(let may): "may publish \(may.canPublish)"
        case .subscriptionPermission(let isAllowed, _, _): "may receive \(isAllowed)"
        case .subscriptionFailed(_, _, let why): "subscription failed \(why)"
        case .roomUpdated(let room): "room \(room.name)"
        case .speakersChanged: "speakers"
        case .dataReceived, .textReceived, .streamOpened, .chatReceived: "data"
        case .ended(let reason, _): "ended \(reason.rawValue)"
        }
    }
}

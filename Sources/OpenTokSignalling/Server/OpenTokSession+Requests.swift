/// What clients ask for.
extension OpenTokSession {
    /// Does what somebody asks for who has joined. Whoever asks is answered first, then hears what has come of it.
    ///
    /// - Parameter time: milliseconds since 1970.
    package mutating func handle(
        _ request: RaptorRequest, from id: String, at time: Int64, into actions: inout [Action]
    ) -> OpenTokServerConnection.Answer {
        guard let member = members[id] else { return .refused(.notFound) }
        switch request {
        case .join: return .refused(.conflict)
        case .readState: return .state(state(for: id))
        case .publish(let stream): return publish(stream, by: member, at: time, into: &actions)
        case .unpublish(let stream): return unpublish(stream, by: member, at: time, into: &actions)
        case .updateStream(let stream, let channel, let properties):
            return update(stream, channel, properties, by: id, into: &actions)
        case .subscribe(let stream, let subscriber):
            return subscribe(subscriber, to: stream, by: member, into: &actions)
        case .unsubscribe(let stream, let subscriber):
            return unsubscribe(SubscriberKey(stream: stream, id: subscriber), by: id, into: &actions)
        case .updateSubscriber(let stream, let subscriber, let channel, let preferences):
            let key = SubscriberKey(stream: stream, id: subscriber)
            return update(key, channel, preferences, by: id, into: &actions)
        case .negotiate(let peer, let step): return negotiate(peer, step, by: id, into: &actions)
        case .signal(let to, let signal, let content):
            guard member.may(.signal) else { return .refused(.forbidden) }
            return send(content, id: signal, to: to, from: id, into: &actions) ? .done : .refused(.notFound)
        case .forceDisconnect(let connection):
            return forceDisconnect(connection, by: id, at: time, into: &actions)
        case .muteStream(let stream):
            guard member.may(.forceMute) else { return .refused(.forbidden) }
            guard streams[stream] != nil else { return .refused(.notFound) }
            mute(stream, by: id, into: &actions)
            return .done
        case .forceMute(let mute):
            guard member.may(.forceMute) else { return .refused(.forbidden) }
            set(mute, by: id, into: &actions)
            return .done
        }
    }

    /// To all, the sender among them, or to one; false where that one is not there.
    func send(
        _ content: SignalContent, id: String, to: String?, from: String?, into actions: inout [Action]
    ) -> Bool {
        guard let to else {
            tellAll(.signal(id: id, content), from: from, into: &actions)
            if members.all.contains(where: \.isForeign) { route(.pass(content, to: nil, from: from), into: &actions) }
            return true
        }
        guard members[to] != nil else { return false }
        tell(to, .signal(id: id, content), from: from, into: &actions)
        if isForeign(to) { route(.pass(content, to: to, from: from), into: &actions) }
        return true
    }

    // MARK: Force mute

    /// Switches force mute of the session, which mutes what is published, and while it is active what is going to be.
    mutating func set(_ mute: ForceMute, by id: String?, into actions: inout [Action]) {
        forceMute = mute.isActive ? mute : nil
        tellAll(.muteForced(mute), from: id, into: &actions)
        guard mute.isActive else { return }
        let excluded = Set(mute.excludedStreams)
        for stream in streams.ids where !excluded.contains(stream) { self.mute(stream, by: id, into: &actions) }
    }

    /// Ends the sound of a stream until its publisher begins it again.
    mutating func mute(_ id: String, by moderator: String?, into actions: inout [Action]) {
        guard var live = streams[id] else { return }
        // Its publisher does it, and is then said to have done so.
        guard !isForeign(live.publisher) else { return route(.orderMute(stream: id), into: &actions) }
        for index in live.stream.channels.indices where live.stream.channels[index].isLiveAudio {
            live.stream.channels[index].properties.isActive = false
            let channel = live.stream.channels[index].id
            tellAll(.streamUpdated(stream: id, channel: channel, .init(isActive: false)), into: &actions)
            route(.setChannel(stream: id, .audio, isActive: false), into: &actions)
        }
        streams[id] = live
        tell(live.publisher, .streamMuted(id), from: moderator, into: &actions)
    }
}

extension RaptorChannel {
    var isLiveAudio: Bool { kind == .audio && properties.isActive != false }
}

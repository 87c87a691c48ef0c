/// Streams and their channels.
extension OpenTokSession {
    mutating func publish(
        _ stream: RaptorStream, by member: Member, at time: Int64, into actions: inout [Action]
    ) -> OpenTokServerConnection.Answer {
        let id = member.connection.id
        guard member.may(.publish) else { return .refused(.forbidden) }
        guard !stream.channels.isEmpty else { return .refused(.invalid) }
        guard streams[stream.id] == nil else { return .refused(.conflict) }
        var live = LiveStream(stream: stream, owner: member.connection, layoutClasses: member.layoutClasses)
        live.stream.connection = id
        live.stream.creationTime = time
        let isMuted = forceMute.map { !$0.excludedStreams.contains(stream.id) } ?? false
        if isMuted { live.silence() }
        live.size = live.stream.json.bytes.count
        guard member.streams.count < bounds.streamsPerConnection, description + live.size <= bounds.description
        else { return .refused(.tooMany) }
        streams[stream.id] = live
        description += live.size
        members[id]?.streams.append(stream.id)
        tellAll(.streamCreated(live.stream), into: &actions)
        notice(.streamCreated(live.stream, by: member.connection), at: time, into: &actions)
        if isRouted {
            route(.publish(stream: stream.id), into: &actions)
            tell(id, .negotiate(.stream(stream.id), .generateOffer), into: &actions)
        }
        if isMuted { tell(id, .streamMuted(stream.id), into: &actions) }
        return .done
    }

    mutating func unpublish(
        _ id: String, by member: Member, at time: Int64, into actions: inout [Action]
    ) -> OpenTokServerConnection.Answer {
        guard let live = streams[id] else { return .refused(.notFound) }
        let isOwn = live.publisher == member.connection.id
        guard isOwn || member.may(.forceUnpublish) else { return .refused(.forbidden) }
        endStream(id, isOwn ? .clientDisconnected : .forceUnpublished, at: time, into: &actions)
        return .done
    }

    /// A stream is gone; everybody hears of it once, its publisher too.
    package mutating func endStream(
        _ id: String, _ reason: RaptorReason, at time: Int64, into actions: inout [Action]
    ) {
        guard let live = streams[id] else { return }
        streams[id] = nil
        description -= live.size
        for subscriber in live.subscribers.all {
            guard let owner = subscriber.connection else { continue }
            members[owner]?.subscriptions.remove(SubscriberKey(stream: id, id: subscriber.id))
        }
        members[live.publisher]?.streams.removeAll { $0 == id }
        route(.endStream(id), into: &actions)
        tellAll(.streamDeleted(id: id, reason), into: &actions)
        notice(.streamDestroyed(live.stream, by: live.owner, reason), at: time, into: &actions)
    }

    mutating func update(
        _ id: String, _ channel: String, _ properties: RaptorChannelProperties, by connection: String,
        into actions: inout [Action]
    ) -> OpenTokServerConnection.Answer {
        guard var live = streams[id] else { return .refused(.notFound) }
        guard live.publisher == connection else { return .refused(.forbidden) }
        guard let index = live.stream.channels.firstIndex(where: { $0.id == channel }) else {
            return .refused(.notFound)
        }
        live.stream.channels[index].properties.merge(properties)
        streams[id] = live
        tellAll(.streamUpdated(stream: id, channel: channel, properties), from: connection, into: &actions)
        if let isActive = properties.isActive {
            let kind = live.stream.channels[index].kind
            route(.setChannel(stream: id, kind, isActive: isActive), into: &actions)
        }
        return .done
    }
}

extension OpenTokSession.LiveStream {
    mutating func silence() {
        for index in stream.channels.indices where stream.channels[index].kind == .audio {
            stream.channels[index].properties.isActive = false
        }
    }
}

extension RaptorChannelProperties {
    /// Takes up what is said.
    mutating func merge(_ other: RaptorChannelProperties) {
        isActive = other.isActive ?? isActive
        width = other.width ?? width
        height = other.height ?? height
        orientation = other.orientation ?? orientation
        frameRate = other.frameRate ?? frameRate
        source = other.source ?? source
        fit = other.fit ?? fit
        hasDisableWarning = other.hasDisableWarning ?? hasDisableWarning
    }
}

extension OpenTokSession {
    /// Whether the channels of a kind are switched off.
    package func isMuted(_ kind: RaptorChannel.Kind, of stream: String) -> Bool {
        let channels = streams[stream]?.stream.channels.filter { $0.kind == kind } ?? []
        return !channels.isEmpty && channels.allSatisfy { $0.properties.isActive == false }
    }

    /// Of a stream's picture; nil where the publisher has not said it.
    package func videoSize(of stream: String) -> (width: Int, height: Int)? {
        guard let video = streams[stream]?.stream.channels.first(where: { $0.kind == .video })?.properties,
            let width = video.width, let height = video.height
        else { return nil }
        return (width, height)
    }
}

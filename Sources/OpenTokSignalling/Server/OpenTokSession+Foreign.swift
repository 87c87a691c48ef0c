/// People of another dialect in the same room: to clients of this one they are connections with streams.
extension OpenTokSession {
    package func isForeign(_ connection: String) -> Bool { members[connection]?.isForeign == true }

    package func isConnected(_ connection: String) -> Bool { members[connection] != nil }

    /// Somebody of another dialect is there. False where the session is described by as much as a newcomer may be told:
    /// clients of this dialect don't see them then.
    ///
    /// - Parameter time: milliseconds since 1970.
    package mutating func foreignJoined(
        _ connection: RaptorConnection, at time: Int64, into actions: inout [Action]
    ) -> Bool {
        let size = connection.json.bytes.count
        guard members[connection.id] == nil, members.count < bounds.connections,
            description + size <= bounds.description
        else { return false }
        let wasEmpty = isEmpty
        tellAll(.connectionCreated(connection), into: &actions)
        members[connection.id] = Member(connection: connection, isForeign: true, layoutClasses: [])
        description += size
        if wasEmpty { notice(.sessionCreated, at: time, into: &actions) }
        notice(.connectionCreated(connection), at: time, into: &actions)
        return true
    }

    /// Somebody of another dialect publishes; while force mute is active, its sound is to end. False where it is not shown.
    package mutating func foreignPublished(
        _ stream: RaptorStream, by id: String, at time: Int64, into actions: inout [Action]
    ) -> Bool {
        guard let member = members[id], member.isForeign, streams[stream.id] == nil else { return false }
        var live = LiveStream(stream: stream, owner: member.connection, layoutClasses: [])
        live.stream.connection = id
        live.stream.creationTime = time
        live.size = live.stream.json.bytes.count
        guard description + live.size <= bounds.description else { return false }
        streams[stream.id] = live
        description += live.size
        members[id]?.streams.append(stream.id)
        tellAll(.streamCreated(live.stream), into: &actions)
        notice(.streamCreated(live.stream, by: member.connection), at: time, into: &actions)
        if let forceMute, !forceMute.excludedStreams.contains(stream.id),
            stream.channels.contains(where: \.isLiveAudio)
        {
            route(.orderMute(stream: stream.id), into: &actions)
        }
        return true
    }

    /// The channels of a kind are switched off or on, and not by a client of this dialect.
    package mutating func channelsSwitched(
        _ kind: RaptorChannel.Kind, of id: String, isActive: Bool, into actions: inout [Action]
    ) {
        guard let live = streams[id] else { return }
        for (index, channel) in live.stream.channels.enumerated()
        where channel.kind == kind && channel.properties.isActive ?? true != isActive {
            streams[id]?.stream.channels[index].properties.isActive = isActive
            tellAll(.streamUpdated(stream: id, channel: channel.id, .init(isActive: isActive)), into: &actions)
        }
    }

    /// The publisher is to follow: somebody with the right to do so, who is no client of this dialect, has ended the sound.
    package func muteOrdered(_ id: String, into actions: inout [Action]) {
        guard let live = streams[id] else { return }
        tell(live.publisher, .streamMuted(id), into: &actions)
    }

    /// A signal of somebody who speaks another dialect.
    ///
    /// - Parameter sender: nil where nobody may know who it is.
    package mutating func signalled(
        _ content: SignalContent, from sender: String?, to id: String, into actions: inout [Action]
    ) {
        guard members[id] != nil else { return }
        serverSignals += 1
        tell(id, .signal(id: "room\(serverSignals)", content), from: sender, into: &actions)
    }
}

/// Coming and going.
extension OpenTokSession {
    /// Lets somebody in whose token holds; others hear of it.
    ///
    /// - Parameters:
    ///   - isHidden: nobody hears of it, for it records; so it may do nothing else.
    ///   - time: milliseconds since 1970.
    package mutating func join(
        _ admission: OpenTokServerConnection.Admission, isHidden: Bool = false, at time: Int64,
        into actions: inout [Action]
    ) -> OpenTokServerConnection.Answer {
        guard members[admission.connection] == nil else { return .refused(.conflict) }
        let connection = RaptorConnection(
            id: admission.connection, creationTime: time, data: admission.token.connectionData,
            permissions: isHidden ? admission.permissions.intersection(.subscribe) : admission.permissions)
        let size = connection.json.bytes.count
        guard members.count < bounds.connections, description + size <= bounds.description else {
            return .refused(.tooMany)
        }
        let wasEmpty = isEmpty
        if !isHidden { tellAll(.connectionCreated(connection), into: &actions) }
        members[connection.id] = Member(
            connection: connection, isHidden: isHidden, layoutClasses: admission.token.layoutClasses)
        description += size
        guard !isHidden else { return .done }
        if wasEmpty { notice(.sessionCreated, at: time, into: &actions) }
        notice(.connectionCreated(connection), at: time, into: &actions)
        return .done
    }

    /// Somebody is gone: first the streams, then the connection. Who is not there any more has been seen off before.
    package mutating func leave(
        _ id: String, _ reason: RaptorReason, at time: Int64, into actions: inout [Action]
    ) {
        guard let member = members[id] else { return }
        for key in member.subscriptions.sorted(by: { ($0.stream, $0.id) < ($1.stream, $1.id) }) {
            endSubscriber(key, into: &actions)
        }
        members[id] = nil
        description -= member.connection.json.bytes.count
        for stream in member.streams { endStream(stream, reason, at: time, into: &actions) }
        guard !member.isHidden else { return }
        tellAll(.connectionDeleted(id: id, reason), into: &actions)
        notice(.connectionDestroyed(member.connection, reason), at: time, into: &actions)
        if isEmpty {
            forceMute = nil
            notice(.sessionDestroyed, at: time, into: &actions)
        }
    }

    /// Sends somebody away, who is told.
    mutating func remove(_ id: String, _ reason: RaptorReason, at time: Int64, into actions: inout [Action]) {
        leave(id, reason, at: time, into: &actions)
        actions.append(.remove(connection: id, reason))
    }

    mutating func forceDisconnect(
        _ target: String, by id: String, at time: Int64, into actions: inout [Action]
    ) -> OpenTokServerConnection.Answer {
        guard target != id else {
            remove(id, .clientDisconnected, at: time, into: &actions)
            return .done
        }
        guard members[id]?.may(.forceDisconnect) == true else { return .refused(.forbidden) }
        guard members[target]?.isHidden == false else { return .refused(.notFound) }
        remove(target, .forceDisconnected, at: time, into: &actions)
        return .done
    }

    func notice(_ event: SessionNotice.Event, at time: Int64, into actions: inout [Action]) {
        actions.append(.notice(SessionNotice(event, session: id.text, project: project, time: time)))
    }
}

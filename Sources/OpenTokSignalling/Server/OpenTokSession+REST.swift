/// What an application's server asks for, answered from the same state.
extension OpenTokSession {
    /// Does what a command about this session asks for.
    ///
    /// - Parameter time: milliseconds since 1970.
    package mutating func perform(
        _ command: RESTCommand, at time: Int64, into actions: inout [Action]
    ) -> RESTResult {
        guard !isEmpty else { return .refused(.noSuchSession) }
        switch command {
        case .signal(_, let connection, let content):
            serverSignals += 1
            let isSent = send(content, id: "server\(serverSignals)", to: connection, from: nil, into: &actions)
            return isSent ? .done : .refused(.noSuchConnection)
        case .stream(_, let id): return streams[id].map { .stream($0.info) } ?? .refused(.noSuchStream)
        case .streams: return .streams(streams.all.map(\.info))
        case .setStreamClasses(_, let items): return set(items)
        case .forceDisconnect(_, let connection):
            guard members[connection]?.isHidden == false else { return .refused(.noSuchConnection) }
            remove(connection, .forceDisconnected, at: time, into: &actions)
            return .done
        case .muteStream(_, let stream):
            guard streams[stream] != nil else { return .refused(.noSuchStream) }
            mute(stream, by: nil, into: &actions)
            return .done
        case .forceMute(_, let mute):
            set(mute, by: nil, into: &actions)
            return .done
        case .playDTMF(_, let connection, _):
            // Telephones alone hear them, and there are none here.
            guard connection.map({ members[$0] != nil }) ?? true else { return .refused(.noSuchConnection) }
            return .done
        case .createSession, .startArchive, .stopArchive, .archive, .deleteArchive, .archives, .addArchiveStream,
            .removeArchiveStream, .setArchiveLayout:
            return .refused(.noSuchSession)
        }
    }

    /// All of them, or none.
    private mutating func set(_ items: [StreamClasses]) -> RESTResult {
        guard items.allSatisfy({ streams[$0.stream] != nil }) else { return .refused(.noSuchStream) }
        for item in items { streams[item.stream]?.layoutClasses = item.classes }
        return .done
    }

    /// The layout classes of a stream.
    package func layoutClasses(of stream: String) -> [String] { streams[stream]?.layoutClasses ?? [] }

    /// An archive of the session has begun or changed; who joins while it runs finds it in the session's state.
    package mutating func archiveChanged(_ archive: RaptorArchive, into actions: inout [Action]) {
        let known = archives[archive.id]
        guard known != archive else { return }
        let isRunning = archive.status == .started || archive.status == .paused
        guard known != nil || isRunning else { return tellAll(.archiveUpdated(archive), into: &actions) }
        tellAll(known == nil ? .archiveCreated(archive) : .archiveUpdated(archive), into: &actions)
        archives[archive.id] = isRunning ? archive : nil
    }
}

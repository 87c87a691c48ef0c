/// What has come of a command, as the one who did it tells.
package enum RESTResult: Hashable, Sendable {
    case done
    case session(CreatedSession)
    case stream(StreamInfo)
    case streams([StreamInfo])
    case archive(ArchiveInfo)
    /// A part of the list, and how many there are in all.
    case archives([ArchiveInfo], count: Int)
    case refused(RESTRefusal)
}

/// Why a command that is right can't be done now.
package enum RESTRefusal: Hashable, Sendable {
    /// There is no such session, or nobody is connected to it.
    case noSuchSession
    case noSuchConnection
    case noSuchStream
    case noSuchArchive
    /// The session is relayed, and the command is for routed ones.
    case relayed
    /// There is nobody here who records.
    case noRecorder
    /// The archive's state forbids it.
    case archiveState(String)
    /// It is asked for in a way that is not there; says which, and what there is.
    case unsupported(String)
}

extension RESTCommand {
    /// The answer that server SDKs understand.
    package func response(to result: RESTResult) -> RESTResponse {
        switch result {
        case .done: completion
        case .session(let session): .json(200, .array([session.json]))
        case .stream(let stream): .json(200, stream.json)
        case .streams(let streams):
            .json(200, ["count": .integer(Int64(streams.count)), "items": .array(streams.map(\.json))])
        case .archive(let archive): .json(200, archive.json)
        case .archives(let archives, let count):
            .json(200, ["count": .integer(Int64(count)), "items": .array(archives.map(\.json))])
        case .refused(let refusal): fault(for: refusal).response
        }
    }

    private var completion: RESTResponse {
        switch self {
        case .signal, .forceDisconnect, .deleteArchive, .addArchiveStream, .removeArchiveStream: .empty(204)
        default: .json(200, [:])
        }
    }

    private func fault(for refusal: RESTRefusal) -> RESTFault {
        switch refusal {
        case .noSuchSession: .notFound("nobody is connected to the session")
        case .noSuchConnection: .notFound("no such connection is in the session")
        case .noSuchStream:
            if case .stream = self {
                .noSuchStream("no such stream is in the session")
            } else {
                .notFound("no such stream is in the session")
            }
        case .noSuchArchive: .notFound("there is no such archive")
        case .relayed: .conflict("the session is relayed; create it with p2p.preference=disabled")
        case .noRecorder: .absent("recorder, so that it keeps no archives; ask one that was started with a recorder")
        case .archiveState(let reason): .conflict(reason)
        case .unsupported(let what): .invalid(what)
        }
    }
}

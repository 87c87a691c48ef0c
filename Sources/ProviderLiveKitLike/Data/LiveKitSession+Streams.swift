import CallBridge
import CallModel
import Foundation
import LiveKitProtocol

/// Streams that we send: header, chunks, trailer.
extension LiveKitSession {
    /// The content of one chunk, in bytes.
    static let chunk = 15_000

    func openStream(_ info: DataStreamInfo, to identities: [String]) async throws -> OutgoingDataStream {
        var info = info
        if info.id.isEmpty { info.id = UUID().uuidString.lowercased() }
        let header = info.header(now: joiner.wallClock().rawValue)
        try await send(
            .with {
                $0.destinationIdentities = identities
                $0.streamHeader = header
            })
        let writer = StreamWriter(id: info.id, identities: identities, session: self)
        return OutgoingDataStream(info, write: { try await writer.write($0) }, close: { try await writer.close($0) })
    }
}

/// Cuts a stream's content into numbered chunks.
private actor StreamWriter {
    private let id: String
    private let identities: [String]
    private let session: LiveKitSession
    private var next: UInt64 = 0
    private var isClosed = false

    init(id: String, identities: [String], session: LiveKitSession) {
        self.id = id
        self.identities = identities
        self.session = session
    }

    func write(_ bytes: [UInt8]) async throws {
        try requireOpen()
        // Numbered before anything is awaited: writers that don't wait for one another keep their order.
        let pieces = stride(from: 0, to: bytes.count, by: LiveKitSession.chunk).map { start in
            let end = min(start + LiveKitSession.chunk, bytes.count)
            defer { next &+= 1 }
            return Livekit_DataStream.Chunk.with {
                $0.streamID = id
                $0.chunkIndex = next
                $0.content = Data(bytes[start..<end])
            }
        }
        for piece in pieces {
            try await session.send(
                .with {
                    $0.destinationIdentities = identities
                    $0.streamChunk = piece
                })
        }
    }

    func close(_ reason: String) async throws {
        try requireOpen()
        isClosed = true
        try await session.send(
            .with {
                $0.destinationIdentities = identities
                $0.streamTrailer.streamID = id
                $0.streamTrailer.reason = reason
            })
    }

    private func requireOpen() throws {
        if isClosed { throw CallError(.caller, .invalidArgument, "stream \(id) is closed; open another") }
    }
}

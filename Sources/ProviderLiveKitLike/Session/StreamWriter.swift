import CallBridge
import Foundation
import LiveKitProtocol

/// Cuts a stream's content into numbered chunks.
actor StreamWriter {
    /// The content of one chunk, in bytes.
    static let chunk = 15_000

    private let id: String
    private let identities: [String]
    private let send: @Sendable (Livekit_DataPacket) async throws -> Void
    private var next: UInt64 = 0
    private var isClosed = false

    init(id: String, identities: [String], send: @escaping @Sendable (Livekit_DataPacket) async throws -> Void) {
        self.id = id
        self.identities = identities
        self.send = send
    }

    func write(_ bytes: [UInt8]) async throws {
        try requireOpen()
        // Numbered before anything is awaited: writers that don't wait for one another keep their order.
        let pieces = stride(from: 0, to: bytes.count, by: Self.chunk).map { start in
            let end = min(start + Self.chunk, bytes.count)
            defer { next &+= 1 }
            return Livekit_DataStream.Chunk.with {
                $0.streamID = id
                $0.chunkIndex = next
                $0.content = Data(bytes[start..<end])
            }
        }
        for piece in pieces {
            try await send(
                .with {
                    $0.destinationIdentities = identities
                    $0.streamChunk = piece
                })
        }
    }

    func close(_ reason: String) async throws {
        try requireOpen()
        isClosed = true
        try await send(
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

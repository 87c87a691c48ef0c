import LiveKitProtocol
import NIOCore
import NIOPosix
import Testing

@testable import CallServer

/// What one hostile participant, or a stranger, does to the server for some seconds.
struct Attack: Sendable, CustomTestStringConvertible {
    let name: String
    /// Runs until `end`; what the server refuses is tried again, as an attacker would.
    let run: @Sendable (_ server: CallServer, _ end: NIODeadline) async throws -> Void

    var testDescription: String { name }

    init(_ name: String, _ run: @escaping @Sendable (CallServer, NIODeadline) async throws -> Void) {
        self.name = name
        self.run = run
    }

    static let loop = MultiThreadedEventLoopGroup.singleton.next()

    /// Calls `body` again and again until `end`, every `pace`; a refusal of the server ends one turn, not the attack.
    static func again(until end: NIODeadline, every pace: TimeAmount, _ body: () async throws -> Void) async throws {
        while NIODeadline.now() < end {
            do { try await body() } catch is HTTPTestClient.Failure {
            } catch is LiveKitTestClient.Refused {
            } catch is ChannelError {
            } catch is IOError {}
            try await loop.scheduleTask(in: pace) {}.futureResult.get()
        }
    }

    /// Joins room "wild" by signalling alone and delivers the frames, over and over; the server may close whenever it likes.
    static func flood(
        _ name: String, every pace: TimeAmount, _ frames: @escaping @Sendable (_ turn: Int) -> [[UInt8]]
    ) -> Attack {
        Attack(name) { server, end in
            var turn = 0
            var connection: LiveKitTestClient?
            let identity = "mallory"
            try await again(until: end, every: pace) {
                turn += 1
                do {
                    if connection == nil {
                        connection = try await .join(server.port, token: TestTokens.join(identity, room: "wild"))
                    }
                    for frame in frames(turn) {
                        try await connection?.deliver(raw: frame)
                        if NIODeadline.now() > end { break }
                    }
                } catch {
                    connection?.drop()
                    connection = nil
                    throw error
                }
            }
            connection?.drop()
        }
    }

    /// A message as a frame.
    static func frame(_ fill: (inout Livekit_SignalRequest) -> Void) -> [UInt8] {
        WebSocketBytes.frame(2, Livekit_SignalRequest.with(fill).wireBytes)
    }

    /// Joins room "wild" with media, which `body` misuses over and over.
    ///
    /// - Parameter loss: share of the datagrams, each way, that the attacker's way loses.
    static func media(
        _ name: String, every pace: TimeAmount, loss: Double = 0,
        _ body: @escaping @Sendable (Mallory, _ turn: Int) async throws -> Void
    ) -> Attack {
        Attack(name) { server, end in
            let mallory = try await Mallory.join(server)
            if loss > 0 { try await mallory.path.lose(loss) }
            var turn = 0
            try await again(until: end, every: pace) {
                turn += 1
                try await body(mallory, turn)
            }
            try await mallory.leave()
        }
    }
}

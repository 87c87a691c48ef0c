import Foundation
import NIOCore
import RTCTransport
import Testing

@testable import CallServer

/// One participant must not hurt another: a call in another room loses nothing while each attack runs, and the server's
/// loops are never held for long by one message or datagram.
///
/// `CALLBRIDGE_ATTACK_SECONDS` says how long each attack runs.
@Suite(.timeLimit(.minutes(10))) struct AttackTests {
    private static let seconds =
        ProcessInfo.processInfo.environment["CALLBRIDGE_ATTACK_SECONDS"].flatMap { Int64($0) } ?? 10

    @Test(arguments: Attack.all)
    func anotherRoomLosesNothing(_ attack: Attack) async throws {
        try await withCallServer { server in
            let calm = try await CalmCall.begin(on: server)
            server.stalls.reset()
            let delivered = try await calm.deliveries {
                try await attack.run(server, .now() + .seconds(Self.seconds))
            }
            let holds = server.stalls.holds
            print("attack: \(attack.name): sound \(delivered.sound); film \(delivered.film); \(Self.text(holds))")
            #expect(delivered.sound.missing == 0 && delivered.film.missing == 0)
            #expect(delivered.sound.received == delivered.soundSent && delivered.film.received > 0)
            for hold in holds where hold.source == .message || hold.source == .datagram {
                #expect(hold.held < StallMeter.limit, "\(hold.kind)")
            }
            try await calm.end()
        }
    }

    private static func text(_ holds: [LoopHold]) -> String {
        guard !holds.isEmpty else { return "no loop was held" }
        return "held longest: "
            + holds.prefix(3).map { "\($0.kind) \(String(format: "%.1f", $0.held.milliseconds)) ms" }
            .joined(separator: ", ")
    }
}

import RTCWire

@testable import RTCCore

/// Attacks on one side of an association in a state that the input chooses. Traps where something doesn't hold for any
/// input. A state is a copy of one that was reached before: nothing is computed to get there.
package final class HandshakeStateFuzzing {
    private let stages: [[HandshakeStage]]
    /// Of handshakes between the same two, and between others of their kind.
    private let others: [HandshakePair.Record]
    /// How often an input has met each state.
    private var counts: [Int]
    /// How often not all of it was dropped.
    private var heard: [Int]
    /// How often the genuine peer went on after the attack.
    private var continuations: [Int]
    /// The stage of every input, where it is not the input's to choose.
    private let forced: Int?
    /// In commands: so many that advance the time don't end a handshake.
    private static let longestAttack = 8
    /// So many of 256 attacks on a handshake are followed by the genuine rest of it, which costs key exchanges.
    private let continuationShare: Int
    /// The same of attacks of which something was heard.
    private let heardShare: Int

    package init(
        _ certificates: (client: DTLSCertificate, server: DTLSCertificate), forced: Int? = nil,
        continuationShare: Int = 1, heardShare: Int? = nil
    ) {
        let suites = TLSCipherSuite.allCases.filter { $0.authentication == .ecdsa }
        stages = suites.map { HandshakeStage.all(certificates, suite: $0) }
        others = HandshakeStage.others(certificates, suites: suites)
        counts = stages[0].map { _ in 0 }
        (heard, continuations) = (counts, counts)
        self.forced = forced
        self.continuationShare = continuationShare
        self.heardShare = heardShare ?? continuationShare
    }

    package var names: [String] { stages[0].map(\.name) }

    /// A line for each state: how many attacks it has met, how many were heard, and after how many the peer went on.
    package var summary: String {
        names.indices.map {
            "\(counts[$0]) attacks, \(heard[$0]) heard, \(continuations[$0]) continued: \(names[$0])\n"
        }.joined()
    }

    /// Byte 0 chooses the state, byte 1 the cipher suite; then come commands.
    package func run(_ input: UnsafeRawBufferPointer) {
        guard input.count >= 3 else { return }
        let index = (forced ?? Int(input[0])) % counts.count
        let stage = stages[Int(input[1]) % stages.count][index]
        counts[index] += 1
        var attack = HandshakeAttack(stage, others: others, input.dropFirst(2))
        for _ in 0..<HandshakeStateFuzzing.longestAttack where attack.perform() { attack.check() }
        guard !attack.isByPeer else { return }
        if attack.wasHeard { heard[index] += 1 }
        let share = attack.wasHeard ? heardShare : continuationShare
        if stage.isOver || HandshakeStateFuzzing.draw(input) < share {
            continuations[index] += 1
            attack.goOn()
        }
    }

    /// 0...255, by all of an input, so that no fuzzer learns to choose it.
    private static func draw(_ input: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in input { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int(hash >> 32 & 255)
    }
}

extension HandshakeStage {
    /// The handshake is: what was said then is said, and nothing in the clear means anything.
    var isOver: Bool {
        switch moment.state(of: role) {
        case .new, .handshaking: false
        default: true
        }
    }

    /// It is under way, with a server that asked for no cookie: ours never asks.
    var canGoOn: Bool { !isOver && name != "client after HelloVerifyRequest" }
}

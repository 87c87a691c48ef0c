import CallModel
import Foundation

/// What fuzz targets do with one input: see `WireFuzzing`.
///
/// This folder is also a target of the package in Fuzz/.
package enum CallModelFuzzing {
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("ring", { ring($0) }), ("journal", { journal($0) }),
    ]

    private static let now = CallTime(milliseconds: 1_800_000_000_000)

    /// The first byte chooses: a stream of events as a device gets it, or commands, a line each, as a server gets them.
    package static func ring(_ input: UnsafeRawBufferPointer) {
        guard let kind = input.first else { return }
        let bytes = Array(input.dropFirst())
        if kind % 2 == 0 { events(bytes, split: Int(kind / 2)) } else { commands(bytes) }
    }

    // MARK: At a device

    /// However a stream is cut into pieces, its events are the same.
    private static func events(_ bytes: [UInt8], split: Int) {
        var whole = EventStreamParser()
        var pieces = EventStreamParser()
        let events = whole.receive(bytes)
        let cut = min(split, bytes.count)
        precondition(pieces.receive(bytes[..<cut]) + pieces.receive(bytes[cut...]) == events)
        var phone = Phone()
        for event in events {
            guard let signal = try? JSONDecoder().decode(RingSignal.self, from: Data(event)) else { continue }
            precondition(again(signal) == signal)
            phone.receive(signal)
        }
        phone.end()
    }

    /// A device with a ring of each kind. Whatever the server says, each has at most one outcome, and one when time is up.
    private struct Phone {
        private var incoming: IncomingRing?
        private var outgoing: OutgoingRing
        private var outcomes = (incoming: 0, outgoing: 0)

        init() {
            var actions: [OutgoingRing.Action] = []
            outgoing = OutgoingRing(
                RingRequest(callId: "c", conversationId: "v", groups: [["bob"]]), at: now, into: &actions)
        }

        mutating func receive(_ signal: RingSignal) {
            var actions: [IncomingRing.Action] = []
            if case .offer(let offer) = signal, incoming == nil {
                incoming = IncomingRing(offer, gate: .init(isLocked: true), at: now, into: &actions)
                incoming?.answer(at: now, into: &actions)
            } else {
                incoming?.receive(signal, at: now, into: &actions)
            }
            count(actions)
            var placed: [OutgoingRing.Action] = []
            outgoing.receive(signal, at: now, into: &placed)
            count(placed)
        }

        mutating func end() {
            var actions: [IncomingRing.Action] = []
            var placed: [OutgoingRing.Action] = []
            // Each of its states has a deadline of its own.
            for _ in 0..<8 {
                incoming?.advance(to: .distantFuture, into: &actions)
                outgoing.advance(to: .distantFuture, into: &placed)
            }
            count(actions)
            count(placed)
            precondition(outcomes.outgoing == 1 && outcomes.incoming == (incoming == nil ? 0 : 1))
        }

        private mutating func count(_ actions: [IncomingRing.Action]) {
            outcomes.incoming += actions.count { if case .report = $0 { true } else { false } }
            precondition(outcomes.incoming <= 1)
        }

        private mutating func count(_ actions: [OutgoingRing.Action]) {
            outcomes.outgoing += actions.count { if case .report = $0 { true } else { false } }
            precondition(outcomes.outgoing <= 1)
        }
    }

    // MARK: At an exchange

    /// Commands of three devices in turn. The journal that they lead to keeps every rule.
    private static func commands(_ bytes: [UInt8]) {
        var board = RingSwitchboard()
        var checker = JournalChecker()
        var actions: [RingExchange.Action] = []
        let devices = ["ada", "bob", "eve"].map { RingDevice(personId: $0, deviceToken: "1") }
        for device in devices { try? board.arrived(device, at: now, into: &actions) }
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let command = try? JSONDecoder().decode(RingCommand.self, from: Data(line)) else { continue }
            precondition(again(command) == command)
            number += 1
            let time = now.advanced(by: Int64(number) * 1_000)
            _ = try? board.receive(
                command, from: devices[number % 3], at: time, newID: { "call-\(number)" }, into: &actions)
        }
        // Everything that waits comes to its end.
        var time = now.advanced(by: Int64(number) * 1_000)
        for _ in 0..<20 {
            guard let next = board.nextDeadline else { break }
            time = max(time, next)
            board.advance(to: time, into: &actions)
        }
        for case .journal(let event) in actions { precondition(checker.check(event).isEmpty) }
    }

    // MARK: Journals

    /// A journal that can be read can be checked, written, and read again.
    package static func journal(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        let events: [JournalEvent]
        do {
            events = try JournalFile.events(text)
        } catch {
            precondition(error.line >= 1 && !error.description.isEmpty)
            return
        }
        var checker = JournalChecker()
        for event in events { for violation in checker.check(event) { precondition(!violation.detail.isEmpty) } }
        _ = checker.finish()
        let lines = events.map(JournalFile.line)
        precondition(lines.allSatisfy { !$0.contains("\n") })
        precondition((try? JournalFile.events(lines.joined(separator: "\n"))) == events)
    }

    private static func again<Value: Codable>(_ value: Value) -> Value? {
        (try? JSONEncoder().encode(value)).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }
}

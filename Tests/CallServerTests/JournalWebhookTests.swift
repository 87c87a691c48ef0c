import CallModel
import RTCSim
import RTCWire
import Testing

@testable import CallServer

/// A journal on its way to a receiver that is down for a minute, then slow, then answers 500.
@Suite struct JournalWebhookTests {
    private static func journal(of call: String) -> [JournalEvent] {
        var events: [JournalEvent] = []
        var ledger = CallLedger(
            CallRecord(
                id: call, conversationId: call, serviceProviderCallId: call, serviceProviderType: "LIVEKIT",
                initiatorPersonId: "ada", callType: .audio))
        ledger.initiate(at: .zero, into: &events)
        for person in ["bob", "carol"] { ledger.join(person, at: .zero, into: &events) }
        for person in ["ada", "bob", "carol"] { ledger.connect(person, at: .zero, into: &events) }
        ledger.end(.conversationEnded, at: .zero, into: &events)
        return events
    }

    @Test func everyEventArrivesOncePerIDAndInOrder() {
        let calls = (0..<5).map { Self.journal(of: "call-\($0)") }
        var backlog = WebhookBacklog(policy: WebhookPolicy(), generator: SeededGenerator(seed: 7))
        for index in calls[0].indices {
            for events in calls {
                #expect(backlog.add(JournalWebhooks.entry(for: events[index]), now: .zero) == .accepted)
            }
        }
        var now = Instant.zero
        var underWay: [(due: Instant, entry: WebhookEntry)] = []
        var requests: [String: Int] = [:]
        var received: [String: [String]] = [:]
        while !backlog.isEmpty {
            while let entry = backlog.next(now: now) {
                requests[entry.id, default: 0] += 1
                // Slow in the second minute: it has the event, but says so after nine seconds.
                let isSlow = now.nanoseconds >= 60_000_000_000 && now.nanoseconds < 90_000_000_000
                underWay.append((now + (isSlow ? .seconds(9) : .milliseconds(20)), entry))
            }
            let next = [underWay.map(\.due).min(), backlog.nextDeadline].compactMap { $0 }.min()
            guard let next, next.nanoseconds < 3_600_000_000_000 else { break }
            now = max(now, next)
            for (index, request) in underWay.enumerated().reversed() where request.due <= now {
                underWay.remove(at: index)
                let outcome = Self.answer(at: now)
                if outcome == .acknowledged { received[request.entry.key, default: []].append(request.entry.id) }
                backlog.finish(request.entry, outcome, now: now)
            }
        }
        for (number, events) in calls.enumerated() {
            #expect(received["call-\(number)"] == events.map(\.id))
        }
        #expect(requests.values.contains { $0 > 5 }, "the outage was felt")
        #expect(backlog.statistics.expired == 0 && backlog.statistics.refused == 0)
        #expect((now - .zero).seconds > 120)
    }

    /// Down for a minute, slow for half of one, 500 for another half, and well again.
    private static func answer(at now: Instant) -> WebhookOutcome {
        switch (now - .zero).seconds {
        case ..<60: .failed("connection refused")
        case ..<90: .acknowledged
        case ..<120: .init(status: 500)
        default: .acknowledged
        }
    }
}

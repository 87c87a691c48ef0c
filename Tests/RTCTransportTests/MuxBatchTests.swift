import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// Who has which outbox of a loop.
@Suite struct MuxBatchTests {
    private let pool = OutboxPool()

    @Test func anOutboxInUseIsNobodyElses() {
        var one = MuxBatch(pool)
        var other = MuxBatch(pool)
        let outbox = one.outbox
        one.now = .zero
        one.rest()
        one.now = nil
        one.calls = 1
        one.rest()
        one.calls = 0
        #expect(other.outbox !== outbox && one.outbox === outbox)
    }

    @Test func oneThatHoldsSomethingIsKept() {
        var one = MuxBatch(pool)
        var other = MuxBatch(pool)
        let outbox = one.outbox
        outbox.events.append(.closed)
        one.rest()
        #expect(one.outbox === outbox && other.outbox !== outbox)
        #expect(one.takeEvents()?.count == 1 && one.takeEvents() == nil)
        one.rest()
        var third = MuxBatch(pool)
        #expect(third.outbox === outbox)
    }
}

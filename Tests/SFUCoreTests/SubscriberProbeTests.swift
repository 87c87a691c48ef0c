import RTCWire
import Testing

@testable import SFUCore

@Suite struct SubscriberProbeTests {
    /// A second of steps of 10 ms; gives the bytes that packets of `packet` bytes come to.
    private func send(missing: Int, packet: Int) -> Int {
        var probe = SubscriberProbe()
        var bytes = 0
        for step in 0...100 {
            let count = probe.due(missing: missing, now: .zero + .milliseconds(10) * step)
            guard count > 0 else { continue }
            bytes += count * packet
            probe.note(bytes: count * packet)
        }
        return bytes
    }

    @Test(arguments: [100_000, 500_000, 2_000_000]) func repetitionsComeToWhatIsMissing(_ missing: Int) {
        #expect(abs(send(missing: missing, packet: 1_100) * 8 - missing) < missing / 10 + 10_000)
    }

    @Test func nothingIsOwedAfterAPause() {
        var probe = SubscriberProbe()
        _ = probe.due(missing: 1_000_000, now: .zero)
        #expect(probe.due(missing: 1_000_000, now: .zero + .seconds(10)) <= 8)
        #expect(probe.due(missing: 0, now: .zero + .seconds(11)) <= 8)
        probe.note(bytes: 0)
        #expect(probe.due(missing: 0, now: .zero + .seconds(12)) == 0)
        #expect(probe.due(missing: -5, now: .zero + .seconds(13)) == 0)
    }

    /// Padding comes last: pictures that wait for the pacer go before it, and nothing is made up for afterwards.
    @Test func picturesThatWaitGoFirst() {
        var probe = SubscriberProbe()
        _ = probe.due(missing: 2_000_000, now: .zero)
        #expect(probe.due(missing: 2_000_000, isWaiting: true, now: .zero + .milliseconds(40)) == 0)
        #expect(probe.due(missing: 2_000_000, now: .zero + .milliseconds(44)) == 0)
        #expect(probe.due(missing: 2_000_000, now: .zero + .milliseconds(49)) == 1)
    }
}

import Synchronization
import Testing

@testable import MediaCore

@Suite struct SessionEventOutletTests {
    private final class Taken: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }

        func note(_ event: MediaSessionEvent?) {
            switch event {
            case .connected(let profile): names.withLock { $0.append(profile) }
            case nil: names.withLock { $0.append("end") }
            default: names.withLock { $0.append("?") }
            }
        }
    }

    @Test func whatHasWaitedComesFirst() {
        let (outlet, taken) = (SessionEventOutlet(), Taken())
        outlet.yield(.connected(srtpProfile: "1"))
        outlet.yield(.connected(srtpProfile: "2"))
        outlet.hand { taken.note($0) }
        #expect(taken.all == ["1", "2"])
        outlet.yield(.connected(srtpProfile: "3"))
        outlet.finish()
        outlet.yield(.connected(srtpProfile: "late"))
        #expect(taken.all == ["1", "2", "3", "end"], "one end, and nothing behind it")
    }

    @Test func whoComesAfterTheEndGetsEverything() {
        let (outlet, taken) = (SessionEventOutlet(), Taken())
        outlet.yield(.connected(srtpProfile: "1"))
        outlet.finish()
        outlet.hand { taken.note($0) }
        #expect(taken.all == ["1", "end"])
    }

    @Test func thereIsOneStream() async {
        let outlet = SessionEventOutlet()
        outlet.yield(.connected(srtpProfile: "1"))
        var first = outlet.stream.makeAsyncIterator()
        guard case .connected("1")? = await first.next() else {
            Issue.record("what has waited does not come first")
            return
        }
        outlet.yield(.connected(srtpProfile: "2"))
        outlet.finish()
        let taken = Taken()
        for await event in outlet.stream { taken.note(event) }
        #expect(taken.all == ["2"], "whoever asks again goes on where the first one stopped")
    }
}

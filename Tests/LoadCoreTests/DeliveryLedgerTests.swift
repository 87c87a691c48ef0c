import LoadCore
import RTCSim
import Testing

@Suite struct DeliveryLedgerTests {
    private func stamp(_ number: UInt32, layer: UInt8 = 0, publisher: UInt32 = 7, run: UInt32 = 1) -> MediaStamp {
        MediaStamp(run: run, publisher: publisher, layer: layer, clip: 0, number: number, nanoseconds: 0)
    }

    private func ledger(_ numbers: [UInt32]) -> DeliveryLedger {
        var ledger = DeliveryLedger(run: 1, publisher: 7)
        for number in numbers { ledger.note(stamp(number), packets: 2, bytes: 100) }
        return ledger
    }

    @Test func everythingInOrderIsEverything() {
        let counts = ledger(Array(100..<200)).counts
        #expect((counts.expected, counts.received, counts.missing) == (100, 100, 0))
        #expect((counts.packets, counts.bytes, counts.duplicates) == (200, 10_000, 0))
    }

    @Test func gapsAreMissingUntilTheyCome() {
        var ledger = ledger([5, 6, 9])
        #expect(ledger.counts.missing == 2)
        ledger.note(stamp(7), packets: 1, bytes: 1)
        #expect(ledger.counts.missing == 1)
        #expect(ledger.note(stamp(7), packets: 1, bytes: 1) == false)
        #expect(ledger.counts.duplicates == 1)
        #expect(ledger.counts.missing == 1)
    }

    @Test func whatIsOlderThanTheSubscriptionWasNotExpected() {
        let counts = ledger([10, 9, 11]).counts
        #expect((counts.expected, counts.missing) == (2, 0))
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func aShuffledLossyWayIsCountedExactly(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let kept = (1000..<3000 as Range<UInt32>).filter { $0 == 1000 || random.uniform() > 0.1 }
        // Frames come up to 40 places late, and some come twice; the first one begins the subscription.
        var way = kept.dropFirst().map { (key: Double($0) + random.uniform() * 40, number: $0) }
        let twice = way.filter { _ in random.uniform() < 0.05 }.map { (key: $0.key + 30, number: $0.number) }
        way = (way + twice).sorted { $0.key < $1.key }
        let ledger = ledger([1000] + way.map(\.number))
        #expect(ledger.counts.received == kept.count)
        #expect(ledger.counts.duplicates == twice.count)
        let lost = 2000 - kept.count
        #expect(ledger.settled(last: [0: 2999]).missing == lost)
    }

    @Test func whatNeverCameAtTheEndIsMissing() {
        let ledger = ledger([0, 1, 2])
        #expect(ledger.settled(last: [0: 5]).missing == 3)
        #expect(ledger.settled(last: [0: 5], grace: 3).missing == 0)
        #expect(ledger.settled(last: [0: 5], grace: 2).missing == 3)
        #expect(ledger.settled(last: [:]).missing == 0)
    }

    @Test func aLayerSwitchBeginsAnew() {
        var ledger = ledger([0, 1, 2])
        ledger.note(stamp(900, layer: 2), packets: 1, bytes: 1)
        ledger.note(stamp(901, layer: 2), packets: 1, bytes: 1)
        #expect(ledger.counts.layerSwitches == 1)
        #expect(ledger.counts.missing == 0)
        #expect(ledger.settled(last: [0: 5, 2: 903]).missing == 2)
    }

    @Test func anothersFramesAreCountedApart() {
        var ledger = ledger([0])
        #expect(ledger.note(stamp(1, publisher: 8), packets: 1, bytes: 1) == false)
        #expect(ledger.note(stamp(1, run: 2), packets: 1, bytes: 1) == false)
        ledger.noteUnstamped(packets: 1, bytes: 1)
        #expect(ledger.counts.misdelivered == 2)
        #expect(ledger.counts.unstamped == 1)
        #expect(ledger.counts.expected == 1)
    }
}

@Suite struct MediaStampTests {
    private let stamp = MediaStamp(
        run: 0xdead_beef, publisher: 70_000, layer: 2, clip: 59, number: 1 << 31, nanoseconds: -5)

    @Test func aUnitOfItsOwnSaysTheSame() throws {
        let picture: [UInt8] = [0, 0, 0, 1, 0x65, 1, 2, 3]
        let frame = stamp.stamped(picture: picture, isUnits: true)
        #expect(frame.count == picture.count + StampUnit.length && Array(frame.suffix(picture.count)) == picture)
        #expect(frame.withUnsafeBytes { MediaStamp(of: $0) } == stamp)
        #expect(frame.withUnsafeBytes { MediaStamp(endOf: $0) } == nil)
        for index in 4..<(StampUnit.length - 2) {
            #expect(!(frame[index] == 0 && frame[index + 1] == 0 && frame[index + 2] <= 3), "no start code in it")
        }
        for length in 0..<StampUnit.length {
            #expect(frame.prefix(length).withUnsafeBytes { MediaStamp(of: $0) } == nil)
        }
        for index in 0..<(StampUnit.length - 1) {
            var other = frame
            other[index] ^= 0x80
            #expect(other.withUnsafeBytes { MediaStamp(of: $0) } == nil)
        }
    }

    @Test func itIsReadFromTheEndOfAPicture() throws {
        let frame = stamp.stamped(picture: [1, 2, 3])
        #expect(frame.count == 3 + MediaStamp.length)
        #expect(frame.withUnsafeBytes { MediaStamp(endOf: $0) } == stamp)
    }

    @Test func soundCarriesItAsPadding() throws {
        let packet = try #require(stamp.stamped(sound: [0x78, 9, 8, 7]))
        #expect(packet.prefix(6) == [0x7b, 0x41, 28, 9, 8, 7])
        #expect(packet.withUnsafeBytes { MediaStamp(endOf: $0) } == stamp)
        #expect(stamp.stamped(sound: [0x79, 1]) == nil)
        #expect(stamp.stamped(sound: []) == nil)
    }

    @Test func otherFramesHaveNone() {
        for length in 0...64 {
            let frame = [UInt8](repeating: 0x4c, count: length)
            #expect(frame.withUnsafeBytes { MediaStamp(endOf: $0) } == nil)
        }
    }
}

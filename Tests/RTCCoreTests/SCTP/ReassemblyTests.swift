import RTCWire
import Testing

@testable import RTCCore

@Suite struct ReassemblyTests {
    private func chunk(
        stream: UInt16 = 0, sequence: UInt16 = 0, _ payload: [UInt8] = [1], isUnordered: Bool = false,
        isBeginning: Bool = false, isEnd: Bool = false
    ) -> DataChunk {
        DataChunk(
            tsn: 0, stream: stream, streamSequence: sequence, protocolID: 53, payload: payload,
            isUnordered: isUnordered, isBeginning: isBeginning, isEnd: isEnd)
    }

    /// The fragments of a message of `count` bytes, one byte each.
    private func fragments(_ count: Int, sequence: UInt16 = 0, isUnordered: Bool) -> [DataChunk] {
        (0..<count).map {
            chunk(
                sequence: sequence, [UInt8(truncatingIfNeeded: $0)], isUnordered: isUnordered, isBeginning: $0 == 0,
                isEnd: $0 == count - 1)
        }
    }

    @Test(arguments: [false, true]) func fragmentsInAnyOrder(_ isUnordered: Bool) {
        var random = CryptoTestRandom(9)
        for _ in 0..<50 {
            var reassembly = Reassembly(maximumMessageSize: 1000)
            var messages: [Reassembly.Message] = []
            let parts = fragments(30, isUnordered: isUnordered)
            for index in parts.indices.shuffled(using: &random) {
                #expect(messages.isEmpty)
                #expect(reassembly.add(parts[index], tsn: 100 + Int64(index), into: &messages) == .taken)
            }
            #expect(messages.map(\.payload) == [(0..<30).map { UInt8($0) }])
            #expect(reassembly.bytes == 0 && reassembly.fragments == 0)
        }
    }

    @Test func orderedMessagesWaitForTheirTurn() {
        var reassembly = Reassembly(maximumMessageSize: 1000)
        var messages: [Reassembly.Message] = []
        for sequence: UInt16 in [2, 1] {
            _ = reassembly.add(
                chunk(sequence: sequence, [UInt8(sequence)], isBeginning: true, isEnd: true), tsn: Int64(sequence),
                into: &messages)
        }
        #expect(messages.isEmpty && reassembly.bytes == 2 && reassembly.fragments == 2)
        // The same number again is nothing that can be delivered.
        _ = reassembly.add(chunk(sequence: 2, [9], isBeginning: true, isEnd: true), tsn: 7, into: &messages)
        #expect(reassembly.fragments == 2)
        _ = reassembly.add(chunk(sequence: 0, [0], isBeginning: true, isEnd: true), tsn: 0, into: &messages)
        #expect(messages.map(\.payload) == [[0], [1], [2]] && reassembly.bytes == 0 && reassembly.fragments == 0)
    }

    /// Neighbours of another stream, another message or another kind are not the same message.
    @Test func neighboursAreNotJoined() {
        var reassembly = Reassembly(maximumMessageSize: 1000)
        var messages: [Reassembly.Message] = []
        let parts = [
            chunk(stream: 1, isUnordered: true, isBeginning: true), chunk(stream: 2, isUnordered: true, isEnd: true),
            chunk(stream: 2, sequence: 3, isBeginning: true), chunk(stream: 2, sequence: 4, isEnd: true),
            chunk(stream: 3, isUnordered: true, isBeginning: true),
            chunk(stream: 3, isUnordered: true, isBeginning: true, isEnd: true),
        ]
        for (tsn, part) in parts.enumerated() { _ = reassembly.add(part, tsn: Int64(tsn), into: &messages) }
        #expect(messages.map(\.stream) == [3] && reassembly.fragments == 5)
        reassembly.reset([2])
        #expect(reassembly.fragments == 2)
        reassembly.reset([])
        #expect(reassembly.fragments == 0 && reassembly.bytes == 0)
    }

    @Test func skippingDropsWhatIsUnfinishedAndDeliversWhatIsWhole() {
        var reassembly = Reassembly(maximumMessageSize: 1000)
        var messages: [Reassembly.Message] = []
        _ = reassembly.add(chunk(isUnordered: true, isBeginning: true), tsn: 1, into: &messages)
        _ = reassembly.add(chunk(isUnordered: true), tsn: 5, into: &messages)
        _ = reassembly.add(chunk(isUnordered: true), tsn: 6, into: &messages)
        _ = reassembly.add(chunk(isUnordered: true, isBeginning: true), tsn: 7, into: &messages)
        _ = reassembly.add(chunk(sequence: 1, [8], isBeginning: true, isEnd: true), tsn: 8, into: &messages)
        reassembly.skip(to: 5, [.init(stream: 0, streamSequence: 0)], into: &messages)
        // TSN 6 continues what was skipped, 7 does not.
        #expect(messages.map(\.payload) == [[8]] && reassembly.fragments == 1)
        reassembly.skip(to: .max, [.init(stream: 0, streamSequence: 500)], into: &messages)
        #expect(reassembly.fragments == 0 && reassembly.bytes == 0)
    }

    @Test(arguments: [false, true]) func aMessageTooLargeIsSeen(_ isUnordered: Bool) {
        var reassembly = Reassembly(maximumMessageSize: 20)
        var messages: [Reassembly.Message] = []
        let outcomes = fragments(22, isUnordered: isUnordered).dropLast().enumerated().map {
            reassembly.add($0.element, tsn: Int64($0.offset), into: &messages)
        }
        #expect(outcomes.dropLast().allSatisfy { $0 == .taken } && outcomes.last == .messageTooLarge)
    }

    /// The last fragment first, or every second one first: what is held costs nothing.
    @Test(arguments: [false, true]) func workIsThatOfTheFragments(_ isUnordered: Bool) {
        let count = 16_000
        let orders = [Array((1..<count).reversed()), Array(stride(from: 2, to: count, by: 2)) + [1]]
        for order in orders {
            var reassembly = Reassembly(maximumMessageSize: 1 << 20)
            var messages: [Reassembly.Message] = []
            let parts = fragments(count, isUnordered: isUnordered)
            for index in order { _ = reassembly.add(parts[index], tsn: Int64(index), into: &messages) }
            #expect(reassembly.fragments == order.count && messages.isEmpty)
            #expect(reassembly.runs.steps <= 2 * count)
        }
    }

    /// A chunk that skips costs no more than the way it goes, or what is held: many of them cost no more than that.
    @Test func skippingInSmallStepsCostsTheWay() {
        var reassembly = Reassembly(maximumMessageSize: 1 << 20)
        var messages: [Reassembly.Message] = []
        for index: Int64 in 0..<8000 {
            _ = reassembly.add(chunk(isUnordered: true), tsn: 10_000 + 2 * index, into: &messages)
        }
        reassembly.skip(to: 0, [], into: &messages)
        let before = reassembly.runs.steps
        for tsn: Int64 in 1...9000 { reassembly.skip(to: tsn, [], into: &messages) }
        #expect(reassembly.runs.steps - before <= 9000 && reassembly.fragments == 8000)
    }
}

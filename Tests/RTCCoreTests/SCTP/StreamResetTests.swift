import RTCWire
import Testing

@testable import RTCCore

/// Stream reset, RFC 6525 section 5: requests of ours and answers to the other side's.
@Suite struct StreamResetTests {
    /// Our requests begin at 1000, theirs at 2000, which is their first TSN too.
    private var reset = StreamReset(initialTSN: 1000, peerInitialTSN: 2000)
    private var tracker = ReceiveTracker(initialTSN: 2000, configuration: SCTPConfiguration())

    private mutating func begin(_ streams: UInt16..., limit: Int = 10) -> OutgoingResetRequest? {
        for stream in streams { reset.want(stream) }
        return reset.begin(lastTSN: 77, limit: limit) { _ in true }
    }

    private mutating func answer(_ sequence: UInt32, _ result: ReconfigResponse.Result) -> StreamReset.Answer {
        reset.answered(ReconfigResponse(responseSequence: sequence, result: result))
    }

    private mutating func theirs(_ sequence: UInt32, lastTSN: UInt32 = 1999, _ streams: UInt16...) -> (
        result: ReconfigResponse.Result, reset: [UInt16]?
    ) {
        let request = OutgoingResetRequest(
            requestSequence: sequence, responseSequence: 999, lastAssignedTSN: lastTSN, streams: streams)
        let (response, streams) = reset.handle(request, tracker: tracker)
        #expect(response.responseSequence == sequence)
        return (response.result, streams)
    }

    // MARK: Ours

    @Test mutating func aRequestSaysEverything() {
        #expect(
            begin(1, 2)
                == OutgoingResetRequest(
                    requestSequence: 1000, responseSequence: 1999, lastAssignedTSN: 77, streams: [1, 2]))
        #expect(reset.isWaiting && reset.wanted.isEmpty)
    }

    @Test mutating func nothingWantedIsNothingAsked() {
        #expect(begin() == nil && !reset.isWaiting)
    }

    @Test mutating func aStreamIsAskedForOnce() {
        #expect(begin(5, 5, 5)?.streams == [5])
    }

    /// At most one request is under way (section 5.1.1); others wait for its answer.
    @Test mutating func oneRequestAtATime() {
        #expect(begin(1) != nil)
        #expect(begin(2) == nil && reset.wanted == [2])
        #expect(answer(1000, .performed) == .done([1]))
        #expect(begin()?.streams == [2])
    }

    @Test mutating func streamsWithDataLeftWait() {
        reset.want(1)
        reset.want(2)
        let request = reset.begin(lastTSN: 77, limit: 10) { $0 == 2 }
        #expect(request?.streams == [2] && reset.wanted == [1])
    }

    @Test mutating func aRequestNamesAsManyAsFit() {
        #expect(begin(1, 2, 3, limit: 2)?.streams == [1, 2])
        #expect(reset.wanted == [3])
        _ = answer(1000, .performed)
        #expect(
            begin(limit: 2)
                == OutgoingResetRequest(
                    requestSequence: 1001, responseSequence: 1999, lastAssignedTSN: 77, streams: [3]))
    }

    @Test(arguments: [ReconfigResponse.Result.nothingToDo, .performed])
    mutating func successEndsTheRequest(_ result: ReconfigResponse.Result) {
        _ = begin(1)
        #expect(answer(1000, result) == .done([1]) && !reset.isWaiting)
        #expect(answer(1000, result) == .unknown)
    }

    @Test(arguments: [ReconfigResponse.Result.denied, .wrongSSN, .badSequenceNumber])
    mutating func refusalEndsTheRequest(_ result: ReconfigResponse.Result) {
        _ = begin(1)
        #expect(answer(1000, result) == .refused([1]) && !reset.isWaiting)
    }

    @Test mutating func answersToOthersAreNothing() {
        _ = begin(1)
        #expect(answer(999, .performed) == .unknown && answer(1001, .performed) == .unknown && reset.isWaiting)
    }

    /// A lost answer is asked for with the same request; one in progress has been answered, and gets a new number.
    @Test mutating func asksAgain() {
        let request = begin(1)
        #expect(reset.retry() == request)
        #expect(answer(1000, .inProgress) == .deferred && reset.isWaiting)
        #expect(reset.retry()?.requestSequence == 1001)
        #expect(reset.retry()?.requestSequence == 1001)
        #expect(answer(1000, .performed) == .unknown)
        #expect(answer(1001, .performed) == .done([1]))
        #expect(reset.retry() == nil)
    }

    @Test mutating func requestNumbersWrap() {
        reset = StreamReset(initialTSN: .max, peerInitialTSN: 0)
        #expect(begin(1)?.requestSequence == .max)
        _ = answer(.max, .performed)
        let second = begin(2)
        #expect(second?.requestSequence == 0 && second?.responseSequence == .max)
    }

    // MARK: Theirs

    @Test mutating func aRequestWhoseDataIsHereIsDone() {
        let answer = theirs(2000, 4, 5)
        #expect(answer.result == .performed && answer.reset == [4, 5])
    }

    /// The answer may be lost: the request comes again and is not done twice.
    @Test mutating func aRepeatedRequestIsAnsweredAlike() {
        _ = theirs(2000, 4)
        let again = theirs(2000, 4)
        #expect(again.result == .performed && again.reset == nil)
        let next = theirs(2001, 6)
        #expect(next.result == .performed && next.reset == [6])
        // What lies further back than the last one is not known any more.
        #expect(theirs(2000, 4).result == .badSequenceNumber)
    }

    @Test(arguments: [1998, 2001, 3000] as [UInt32]) mutating func aWrongNumberIsToldSo(_ sequence: UInt32) {
        let answer = theirs(sequence, 4)
        #expect(answer.result == .badSequenceNumber && answer.reset == nil)
        #expect(theirs(2000, 4).result == .performed)
    }

    /// Data that was sent before the reset is delivered first (section 5.2.2, step E2).
    @Test mutating func aRequestAheadOfItsDataWaits() {
        let early = theirs(2000, lastTSN: 2002, 4)
        #expect(early.result == .inProgress && early.reset == nil)
        #expect(reset.arrived(2001) == nil && reset.arrived(2002) == [4] && reset.arrived(2002) == nil)
        for tsn: Int64 in 2000...2002 { tracker.note(tsn, isImmediate: false) }
        // Asked again, with a new number: it has happened since.
        let again = theirs(2001, lastTSN: 2002, 4)
        #expect(again.result == .performed && again.reset == nil)
    }

    /// The same while the data is still missing.
    @Test mutating func aRepeatedEarlyRequestStillWaits() {
        _ = theirs(2000, lastTSN: 2002, 4)
        #expect(theirs(2000, lastTSN: 2002, 4).result == .inProgress)
        #expect(theirs(2001, lastTSN: 2002, 4).result == .inProgress)
        #expect(reset.arrived(2002) == [4])
    }

    @Test mutating func noStreamsMeansAll() {
        let answer = theirs(2000)
        #expect(answer.result == .performed && answer.reset == [])
    }

    /// Requests of other kinds share the numbers.
    @Test mutating func otherKindsAreAnsweredOnce() {
        let (first, isNew) = reset.answer(2000, .denied)
        #expect(first == ReconfigResponse(responseSequence: 2000, result: .denied) && isNew)
        let (second, isNewAgain) = reset.answer(2000, .performed)
        #expect(second.result == .denied && !isNewAgain)
        #expect(reset.answer(2005, .performed).0.result == .badSequenceNumber)
        #expect(theirs(2001, 4).result == .performed)
    }

    @Test mutating func ourRequestNamesTheirLastOne() {
        _ = theirs(2000, 4)
        #expect(begin(1)?.responseSequence == 2000)
    }
}

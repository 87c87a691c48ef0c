import CAllocations
import SFUCore
import Testing

/// What a forwarded packet takes from the heap once its stream runs.
///
/// Nothing, in an optimised build: `Benchmarks/run` refuses any other number. A debug build keeps the frames of accessors
/// on the heap, and gets no more than a bound.
@Suite struct AllocationTests {
    @Test(arguments: [MediaCodec.opus, .vp8]) func aRunningStreamIsBounded(codec: MediaCodec) {
        guard allocations_of_this_thread() >= 0 else { return }
        let load = ForwardingLoad(codec, subscribers: 10)
        load.send(200)
        let before = allocations_of_this_thread()
        let copies = load.copies
        load.send(1000)
        let taken = allocations_of_this_thread() - before
        let count = load.copies - copies
        print("\(codec): \(taken) allocations for \(count) copies of 1000 packets")
        #expect(count == 10_000)
        #if DEBUG && !OPTIMIZED_ENGINES
            #expect(taken <= 4 * count)
        #else
            #expect(taken == 0)
        #endif
    }

    /// The counter counts: an array of a thousand is one allocation at least.
    @Test func theCounterCounts() {
        let before = allocations_of_this_thread()
        guard before >= 0 else { return }
        var array: [Int] = []
        array.reserveCapacity(1000)
        array.append(1)
        #expect(array.count == 1 && allocations_of_this_thread() > before)
    }
}

import Testing

@testable import MediaCore

@Suite struct VideoFramePoolTests {
    @Test func memoryIsUsedAgain() {
        let pool = VideoFramePool(limit: 10_000)
        let first = pool.take()
        pool.give(back: first)
        let second = pool.take()
        #expect(second.baseAddress == first.baseAddress)
        let third = pool.take()
        #expect(third.baseAddress != second.baseAddress, "it is lent to one at a time")
        pool.give(back: second)
        pool.give(back: third)
        #expect(pool.waitingBytes == second.count + third.count)
    }

    @Test func noMoreWaitsThanTheLimitSays() {
        let pool = VideoFramePool(limit: 10_000)
        let lent = (0..<4).map { _ in pool.take() }
        for memory in lent { pool.give(back: memory) }
        #expect(pool.waitingBytes <= 10_000 && pool.waitingBytes > 10_000 - lent[0].count)
        _ = (0..<2).map { _ in pool.take() }.map { $0.deallocate() }
        #expect(pool.waitingBytes == 0)
        pool.give(back: .allocate(byteCount: 9_000, alignment: 16))
        #expect(pool.waitingBytes == 9_000)
        pool.give(back: .allocate(byteCount: 4_096, alignment: 16))
        #expect(pool.waitingBytes == 9_000)
    }

    @Test func streamsThatShareAPoolTakeTurns() {
        let pool = VideoFramePool()
        let buffers = (0..<10).map { _ in VideoFrameBuffer(pool: pool) }
        var sender = TestVideoSender()
        for _ in 0..<3 {
            let packets = sender.next(key: true)
            for buffer in buffers {
                for packet in packets { buffer.insert(packet, at: .zero) }
                #expect(buffer.nextFrame(now: .zero) != nil)
            }
        }
        #expect(pool.waitingBytes == 4_096, "the memory of one picture serves all")
    }
}

import RTCWire
import Testing

@testable import MediaCore

/// A VP8 packet of a made-up stream.
struct TestVideoPacket {
    var sequence: Int64
    var timestamp: UInt32
    var marker: Bool
    var payload: [UInt8]
}

/// Makes frames of a few packets each; the data bytes tell frame and packet.
struct TestVideoSender {
    var sequence: Int64 = 100
    var frame = 0
    var pictureID: UInt16 = 0x7ffc
    var tl0PicIdx: UInt8 = 250
    var packetsPerFrame = 3
    var hasLayers = false

    mutating func next(key: Bool = false, layer: UInt8 = 0, sync: Bool = false) -> [TestVideoPacket] {
        var packets: [TestVideoPacket] = []
        if layer == 0 { tl0PicIdx &+= 1 }
        for index in 0..<packetsPerFrame {
            var descriptor = VP8PayloadDescriptor()
            descriptor.startsPartition = index == 0
            if hasLayers {
                descriptor.pictureID = pictureID
                descriptor.tl0PicIdx = tl0PicIdx
                descriptor.temporalID = layer
                descriptor.isLayerSync = sync
            }
            var payload = [UInt8](repeating: 0, count: VP8PayloadDescriptor.maximumLength)
            let length = payload.withUnsafeMutableBytes { descriptor.write(into: $0) }
            payload.removeLast(payload.count - length)
            payload += [key ? 0 : 1, UInt8(truncatingIfNeeded: frame), UInt8(index), 7]
            packets.append(
                TestVideoPacket(
                    sequence: sequence, timestamp: UInt32(truncatingIfNeeded: frame * 3_000),
                    marker: index == packetsPerFrame - 1, payload: payload))
            sequence += 1
        }
        frame += 1
        pictureID = (pictureID + 1) & 0x7fff
        return packets
    }
}

extension VideoFrameBuffer {
    func insert(_ packet: TestVideoPacket, at time: Instant) {
        packet.payload.withUnsafeBytes {
            insert(
                $0, marker: packet.marker, timestamp: packet.timestamp, sequence: packet.sequence, ssrc: 1,
                arrival: time)
        }
    }

    /// The numbers of all frames that can be released now.
    func drain(at time: Instant) -> [Int] {
        var numbers: [Int] = []
        while let frame = nextFrame(now: time) {
            #expect(frame.bytes.count == 4 * frame.packetCount)
            for packet in 0..<frame.packetCount { #expect(frame.bytes[4 * packet + 2] == packet) }
            numbers.append(Int(frame.bytes[1]))
        }
        return numbers
    }
}

private func time(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

@Suite struct VideoFrameBufferTests {
    @Test func releasesWholeFramesAtOnce() {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        for number in 0..<100 {
            let packets = sender.next(key: number == 0)
            for packet in packets.dropLast() {
                buffer.insert(packet, at: time(number * 33))
                #expect(buffer.drain(at: time(number * 33)).isEmpty)
            }
            buffer.insert(packets[2], at: time(number * 33 + 1))
            #expect(buffer.drain(at: time(number * 33 + 1)) == [number])
            #expect(buffer.nextDeadline(after: time(number * 33 + 1)) == nil)
            #expect(!buffer.takeKeyFrameRequest(now: time(number * 33 + 1)))
        }
        #expect(buffer.statistics.framesReleased == 100)
        #expect(buffer.statistics.framesDropped == 0)
        #expect(buffer.statistics.firstFrame == time(1))
    }

    /// At a change of layers the key frames of both may come, made of one capture: under one source and without a gap,
    /// timestamps a few ticks apart.
    @Test(arguments: [1, 55]) func bothLayersOfOneCapture(ticks: UInt32) {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        for number in 0..<60 {
            let moment = time(number * 33)
            for packet in sender.next(key: number % 20 == 0) { buffer.insert(packet, at: moment) }
            #expect(buffer.drain(at: moment).count == 1)
            guard number == 40 else { continue }
            var other = sender.next(key: true)
            sender.frame -= 1
            for index in other.indices { other[index].timestamp = UInt32(number * 3_000) + ticks }
            for packet in other { buffer.insert(packet, at: moment) }
            #expect(buffer.drain(at: moment).count == 1)
        }
        #expect(buffer.statistics.framesReleased == 61 && buffer.statistics.framesDropped == 0)
        #expect(buffer.statistics.keyFrameRequests == 0)
    }

    @Test func ordersPacketsWithinAndAcrossFrames() {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        let packets = sender.next(key: true) + sender.next() + sender.next()
        for index in [2, 8, 0, 5, 3, 1] { buffer.insert(packets[index], at: time(0)) }
        #expect(buffer.drain(at: time(0)) == [0])
        for index in [7, 4, 4, 6, 0] { buffer.insert(packets[index], at: time(1)) }
        #expect(buffer.drain(at: time(1)) == [1, 2])
        #expect(buffer.statistics.packetsDuplicated == 1)
        #expect(buffer.statistics.packetsLate == 1)
    }

    @Test func waitsForRetransmission() {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        let key = sender.next(key: true)
        for packet in key { buffer.insert(packet, at: time(0)) }
        #expect(buffer.drain(at: time(0)) == [0])
        let damaged = sender.next()
        for packet in [damaged[0], damaged[2]] { buffer.insert(packet, at: time(33)) }
        for number in 2..<8 {
            for packet in sender.next() { buffer.insert(packet, at: time(33 * number)) }
            #expect(buffer.drain(at: time(33 * number)).isEmpty)
        }
        buffer.insert(damaged[1], at: time(250))
        #expect(buffer.drain(at: time(250)) == Array(1..<8))
        #expect(!buffer.takeKeyFrameRequest(now: time(250)))
        #expect(buffer.statistics.framesRepaired == 1)
        #expect(buffer.statistics.framesDropped == 0)
    }

    @Test func asksForAKeyFrameAndJumpsToIt() {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        for packet in sender.next(key: true) { buffer.insert(packet, at: time(0)) }
        #expect(buffer.drain(at: time(0)) == [0])
        _ = sender.next()
        var requests: [Int] = []
        for number in 2..<42 {
            let now = time(33 * number)
            for packet in sender.next() { buffer.insert(packet, at: now) }
            #expect(buffer.drain(at: now).isEmpty)
            #expect(buffer.nextDeadline(after: now) != nil)
            if buffer.takeKeyFrameRequest(now: now) { requests.append(33 * number) }
        }
        #expect(requests.count == 2)
        #expect((500...600).contains(requests[0] - 66))
        for packet in sender.next(key: true) { buffer.insert(packet, at: time(1_400)) }
        #expect(buffer.drain(at: time(1_400)) == [42])
        for packet in sender.next() { buffer.insert(packet, at: time(1_433)) }
        #expect(buffer.drain(at: time(1_433)) == [43])
        #expect(buffer.statistics.framesDropped == 40)
        #expect(buffer.statistics.keyFrameRequests == 2)
    }

    @Test func withoutRetransmissionItAsksSoon() {
        var configuration = VideoPlayoutConfiguration()
        configuration.retransmission = false
        let buffer = VideoFrameBuffer(configuration: configuration)
        var sender = TestVideoSender()
        for packet in sender.next(key: true) { buffer.insert(packet, at: time(0)) }
        _ = buffer.drain(at: time(0))
        for packet in sender.next().dropFirst() { buffer.insert(packet, at: time(33)) }
        #expect(!buffer.takeKeyFrameRequest(now: time(34)))
        #expect(buffer.nextDeadline(after: time(34)) == time(83))
        #expect(buffer.takeKeyFrameRequest(now: time(83)))
        #expect(!buffer.takeKeyFrameRequest(now: time(84)))
    }

    @Test func startsInTheMiddleOfAStream() {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        for packet in sender.next().dropFirst() { buffer.insert(packet, at: time(0)) }
        for packet in sender.next() { buffer.insert(packet, at: time(33)) }
        #expect(buffer.drain(at: time(33)).isEmpty)
        #expect(buffer.takeKeyFrameRequest(now: time(233)))
        let key = sender.next(key: true)
        for packet in key + sender.next() { buffer.insert(packet, at: time(300)) }
        #expect(buffer.drain(at: time(300)) == [2, 3])
        #expect(buffer.statistics.framesDropped == 0)
        #expect(buffer.statistics.framesBeforeKeyFrame == 2)
    }

    @Test func layerZeroNeedsNoHigherLayers() {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender(hasLayers: true)
        for packet in sender.next(key: true) { buffer.insert(packet, at: time(0)) }
        #expect(buffer.drain(at: time(0)) == [0])
        _ = sender.next(layer: 2, sync: true)
        for packet in sender.next(layer: 1) { buffer.insert(packet, at: time(66)) }
        for packet in sender.next(layer: 0) { buffer.insert(packet, at: time(99)) }
        for packet in sender.next(layer: 2, sync: true) { buffer.insert(packet, at: time(133)) }
        #expect(buffer.drain(at: time(133)).isEmpty)
        #expect(buffer.drain(at: time(280)) == [3, 4])
        #expect(!buffer.takeKeyFrameRequest(now: time(280)))
        #expect(buffer.statistics.framesDropped == 1)
    }

    @Test func emptyPacketsAndPictureIDsBridgeGaps() {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        for packet in sender.next(key: true) { buffer.insert(packet, at: time(0)) }
        buffer.insert(
            TestVideoPacket(sequence: sender.sequence, timestamp: 0, marker: false, payload: []), at: time(1))
        sender.sequence += 1
        for packet in sender.next() { buffer.insert(packet, at: time(33)) }
        #expect(buffer.drain(at: time(33)) == [0, 1])
        sender = TestVideoSender(sequence: sender.sequence, frame: 2, hasLayers: true)
        for packet in sender.next() { buffer.insert(packet, at: time(66)) }
        sender.sequence += 4
        for packet in sender.next() { buffer.insert(packet, at: time(99)) }
        #expect(buffer.drain(at: time(99)) == [2, 3])
    }

    @Test func decoderFailureNeedsAKeyFrame() {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        for packet in sender.next(key: true) { buffer.insert(packet, at: time(0)) }
        #expect(buffer.drain(at: time(0)) == [0])
        buffer.decoderFailed(now: time(1))
        #expect(buffer.takeKeyFrameRequest(now: time(1)))
        for packet in sender.next() { buffer.insert(packet, at: time(33)) }
        #expect(buffer.drain(at: time(33)).isEmpty)
        #expect(buffer.takeKeyFrameRequest(now: time(600)))
        for packet in sender.next(key: true) { buffer.insert(packet, at: time(633)) }
        #expect(buffer.drain(at: time(633)) == [2])
    }

    /// Failures are told late, from another thread: one of a frame before the latest key frame costs nothing.
    @Test func aFailureBeforeTheLatestKeyFrameIsMadeGood() throws {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        var released: [AssembledVideoFrame] = []
        for step in 0..<4 {
            for packet in sender.next(key: step == 0 || step == 2) { buffer.insert(packet, at: time(step * 33)) }
            released.append(try #require(buffer.nextFrame(now: time(step * 33))))
        }
        #expect(released.map(\.order) == [0, 1, 2, 3] && released.map(\.isKeyFrame) == [true, false, true, false])
        for frame in released[..<2] { buffer.decoderFailed(frame, now: time(100)) }
        #expect(!buffer.takeKeyFrameRequest(now: time(100)))
        for packet in sender.next() { buffer.insert(packet, at: time(133)) }
        #expect(buffer.drain(at: time(133)) == [4])
        // One of the key frame itself, or of what follows, is asked for at once.
        buffer.decoderFailed(released[2], now: time(140))
        #expect(buffer.takeKeyFrameRequest(now: time(140)))
    }

    @Test func anotherSourceBeginsAnew() {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        for packet in sender.next(key: true) { buffer.insert(packet, at: time(0)) }
        #expect(buffer.drain(at: time(0)) == [0])
        sender.sequence = -70_000
        for packet in sender.next(key: true) + sender.next() { buffer.insert(packet, at: time(33)) }
        #expect(buffer.drain(at: time(33)) == [1, 2])
        #expect(buffer.statistics.resets == 1)
    }

    @Test func memoryIsBounded() {
        let buffer = VideoFrameBuffer()
        var sender = TestVideoSender()
        for packet in sender.next(key: true) { buffer.insert(packet, at: time(0)) }
        _ = buffer.drain(at: time(0))
        _ = sender.next()
        for number in 0..<1_000 {
            for packet in sender.next().dropLast() { buffer.insert(packet, at: time(number)) }
            #expect(buffer.waitingFrames <= buffer.configuration.maximumFrames)
        }
        #expect(buffer.takeKeyFrameRequest(now: time(1_000)))
    }

    /// Anything may come; nothing may trap, and what is released is in order and whole.
    @Test(arguments: 0..<8)
    func survivesHostileSequences(seed: Int) {
        var random = TraceRandom(seed: UInt64(seed))
        let buffer = VideoFrameBuffer()
        var payload = [UInt8](repeating: 0, count: 64)
        var now = 0
        for step in 0..<20_000 {
            now += random.integer(20)
            var sequence = Int64(step + random.integer(12) - 6)
            if random.chance(0.001) { sequence = Int64(truncatingIfNeeded: random.next()) }
            if random.chance(0.0005) { sequence = random.chance(0.5) ? .max : .min }
            for index in 0..<8 { payload[index] = UInt8(truncatingIfNeeded: random.next()) }
            if random.chance(0.7) { payload[0] = random.chance(0.5) ? 0x10 : 0 }
            let timestamp = random.chance(0.95) ? UInt32(step / 3) : UInt32(truncatingIfNeeded: random.next())
            let length = random.integer(payload.count)
            payload.withUnsafeBytes {
                buffer.insert(
                    UnsafeRawBufferPointer(rebasing: $0[..<length]), marker: random.chance(0.4), timestamp: timestamp,
                    sequence: sequence, ssrc: random.chance(0.0005) ? 2 : 1, arrival: time(now))
            }
            while let frame = buffer.nextFrame(now: time(now)) {
                if random.chance(0.01) { buffer.decoderFailed(now: time(now)) }
                #expect(frame.packetCount > 0)
            }
            _ = buffer.takeKeyFrameRequest(now: time(now))
            if let deadline = buffer.nextDeadline(after: time(now)) { #expect(deadline >= time(now)) }
        }
        #expect(buffer.statistics.packetsReceived == 20_000)
    }
}

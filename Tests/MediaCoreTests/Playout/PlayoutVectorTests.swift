import RTCWire
import Testing

@testable import MediaCore

/// Sessions of Chromium from `Tests/Vectors`, through the buffers.
@Suite struct PlayoutVectorTests {
    @Test(arguments: [("vp8-nack", UInt8(96), UInt8(97), 1), ("vp8-rtx", 96, 97, 2)])
    func retransmissionsRepairTheStream(name: String, media: UInt8, rtx: UInt8, keyFrames: Int) throws {
        let buffer = VideoFrameBuffer()
        var unwrapper = SequenceUnwrapper()
        var timestamps: Set<UInt32> = []
        var released: [UInt32] = []
        var last = Instant.zero
        for datagram in try RecordedPackets.read(name) {
            let header = try RTPHeader(parsing: datagram.bytes.span.bytes)
            guard header.payloadType == media || header.payloadType == rtx else { continue }
            var payload = Array(datagram.bytes[header.payloadRange(in: datagram.bytes.count)])
            var number = header.sequenceNumber
            if header.payloadType == rtx {
                guard payload.count > 2 else { continue }
                number = UInt16(payload[0]) << 8 | UInt16(payload[1])
                payload.removeFirst(2)
            }
            timestamps.insert(header.timestamp)
            payload.withUnsafeBytes {
                buffer.insert(
                    $0, marker: header.marker, timestamp: header.timestamp, sequence: unwrapper.unwrap(number), ssrc: 1,
                    arrival: datagram.arrival)
            }
            last = datagram.arrival
            while let frame = buffer.nextFrame(now: last) { released.append(frame.timestamp) }
            let asked = buffer.takeKeyFrameRequest(now: last)
            #expect(!asked)
        }
        #expect(Set(released) == timestamps)
        #expect(released.count == timestamps.count)
        #expect(buffer.statistics.keyFramesReleased == keyFrames)
        #expect(buffer.statistics.framesDropped == 0)
        #expect(buffer.waitingFrames == 0)
    }

    @Test func chromiumsDiscontinuousTransmissionIsNoLoss() throws {
        let buffer = AudioJitterBuffer(decoder: try OpusDecoder(channels: 1))
        var unwrapper = SequenceUnwrapper()
        var frame = [Int16](repeating: 0, count: 480)
        let datagrams = try RecordedPackets.read("opus-dtx")
        var now = try #require(datagrams.first).arrival
        for datagram in datagrams {
            while now < datagram.arrival {
                frame.withUnsafeMutableBufferPointer { _ = buffer.pull(frames: 480, now: now, into: $0) }
                now += .milliseconds(10)
            }
            let header = try RTPHeader(parsing: datagram.bytes.span.bytes)
            datagram.bytes.withUnsafeBytes { bytes in
                buffer.insert(
                    UnsafeRawBufferPointer(rebasing: bytes[header.payloadRange(in: bytes.count)]),
                    timestamp: header.timestamp, sequence: unwrapper.unwrap(header.sequenceNumber), ssrc: header.ssrc,
                    arrival: datagram.arrival)
            }
        }
        #expect(buffer.statistics.packetsLost == 0)
        #expect(buffer.statistics.packetsReceived == 191)
        #expect(buffer.statistics.comfortSamples > 0)
        #expect(buffer.statistics.concealedMilliseconds <= 100)
    }
}

import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// AV1 with spatial layers for subscribers that negotiated no dependency descriptor, as browsers that offer to receive.
@Suite struct AV1SeamTests {
    /// Pieces that a receiver takes for frames, counted as it does: a packet without Z begins one, one without Y ends one.
    private func frames(_ payloads: [[UInt8]]) throws -> Int {
        var ends = 0
        for (index, payload) in payloads.enumerated() {
            let parsed = try payload.withUnsafeBytes { bytes throws(WireError) in try AV1Payload(parsing: bytes.bytes) }
            let isOpen = index > 0 && payloads[index - 1][0] & 0x40 != 0
            #expect(parsed.continuesElement == isOpen)
            #expect(!parsed.continuesElement || !parsed.startsSequence)
            if !parsed.isContinued { ends += 1 }
        }
        return ends
    }

    private func pictures(_ sink: RecordingSink) -> [[[UInt8]]] {
        sink.pictures.map { timestamp in sink.sent.filter { $0.packet.timestamp == timestamp }.map(\.payload) }
    }

    /// The bytes of the elements, their lengths left out.
    private func media(_ payloads: [[UInt8]]) -> [UInt8] {
        var media: [UInt8] = []
        for payload in payloads {
            let count = Int(payload[0] >> 4 & 3)
            var offset = 1
            var index = 0
            while offset < payload.count {
                var length = payload.count - offset
                if count == 0 || index < count - 1 {
                    length = 0
                    var shift = 0
                    repeat {
                        length |= Int(payload[offset] & 0x7f) << shift
                        shift += 7
                        offset += 1
                    } while payload[offset - 1] & 0x80 != 0
                }
                media += payload[offset..<offset + length]
                offset += length
                index += 1
            }
        }
        return media
    }

    @Test(arguments: 0..<2) func aPictureOfSeveralLayersIsOneFrame(layer: Int) throws {
        let stream = try RecordedStream("av1-dd", payloadType: 45)
        let stage = Stage(.av1)
        let plain = stage.join(layer: layer)
        let sewn = stage.join(layer: layer, hasDependencyDescriptor: false)
        for packet in stream.packets { stage.feed(packet) }
        let before = pictures(plain)
        let after = pictures(sewn)
        #expect(before.count == after.count && after.count > 15)
        var severalFrames = 0
        for (old, new) in zip(before, after).dropLast() {
            if try frames(old) > 1 { severalFrames += 1 }
            #expect(try frames(new) == 1)
            #expect(media(old) == media(new))
        }
        #expect(layer == 0 ? severalFrames == 0 : severalFrames > 0)
        #expect(sewn.isContinuous)
    }

    /// What is asked for again is sewn like the first time.
    @Test func repeatedPacketsAreTheSame() throws {
        let stream = try RecordedStream("av1-dd", payloadType: 45)
        let stage = Stage(.av1)
        let sink = stage.join(hasDependencyDescriptor: false)
        for packet in stream.packets.prefix(40) { stage.feed(packet) }
        let first = sink.sent
        let now = stream.packets[39].received.arrival
        stage.seats[0].consumer.resend(first.map(\.packet.sequenceNumber), now: now, spacing: .milliseconds(1))
        let repeated = sink.sent.dropFirst(first.count)
        #expect(repeated.count == first.count)
        for (old, new) in zip(first, repeated) { #expect(Array(new.payload.dropFirst(2)) == old.payload) }
    }

    @Test func headersChangeAsTheElementsDo() {
        func write(_ payload: [UInt8], joined: Bool, goesOn: Bool) -> [UInt8] {
            var buffer = [UInt8](repeating: 0xee, count: 4)
            let done = buffer.withUnsafeMutableBytes { room in
                payload.withUnsafeBytes { AV1Seam(isJoined: joined, goesOn: goesOn).write($0, into: room) }
            }
            return Array(buffer[..<done.length]) + payload[done.replaced...]
        }
        // Every element with a length: one more of them. One or two elements: two or three. N goes.
        #expect(write([0x08, 1, 9], joined: true, goesOn: false) == [0x80, 0, 1, 9])
        #expect(write([0x10, 9], joined: true, goesOn: true) == [0xe0, 0, 9])
        #expect(write([0x28, 1, 8, 9], joined: true, goesOn: false) == [0xb0, 0, 1, 8, 9])
        // Three can't become four: the packet stays.
        #expect(write([0x30, 1, 7, 1, 8, 9], joined: true, goesOn: false) == [0x30, 1, 7, 1, 8, 9])
        #expect(write([0x10, 9], joined: false, goesOn: true) == [0x50, 9])
        #expect(write([], joined: true, goesOn: true) == [])
    }
}

import RTCWire
import Testing

@testable import RTCCore

struct SendStampsTests {
    private func packet(_ map: RTPExtensionMap, time: UInt32, number: UInt16) -> (bytes: [UInt8], offset: Int) {
        var bytes = [UInt8](repeating: 0x5a, count: 200)
        var extensions = RTPExtensions()
        extensions.mid = ShortToken("17")
        extensions.audioLevel = AudioLevel(level: 30, voice: true)
        extensions.absSendTime = time
        extensions.transportSequenceNumber = number
        let offset = bytes.withUnsafeMutableBytes {
            RTPHeader.write(
                marker: true, payloadType: 96, sequenceNumber: 7, timestamp: 8, ssrc: 9, extensions: extensions,
                map: map,
                into: $0)
        }
        return (bytes, offset)
    }

    private static let small = RTPExtensionMap([
        (1, .audioLevel), (2, .absSendTime), (3, .mid), (4, .transportSequenceNumber),
    ])

    private static var large: RTPExtensionMap {
        var map = RTPExtensionMap([(17, .audioLevel), (18, .absSendTime), (19, .mid), (20, .transportSequenceNumber)])
        map.allowsMixed = true
        return map
    }

    /// A packet stamped later is, byte for byte, the one that would have been written then.
    @Test(arguments: [false, true]) func stampsReplaceThoseOfTheWriting(_ isLarge: Bool) {
        let map = isLarge ? Self.large : Self.small
        var (early, offset) = packet(map, time: 1, number: 2)
        let late = packet(map, time: 0xabcdef, number: 0x1234)
        #expect(early != late.bytes && offset == late.offset)
        early.withUnsafeMutableBytes {
            SendStamps.write(sendTime: 0xabcdef, number: 0x1234, map: map, in: $0, payloadOffset: offset)
        }
        #expect(early == late.bytes)
    }

    @Test func aPacketWithoutThemStaysAsItIs() {
        var (bytes, offset) = packet(RTPExtensionMap([(3, .mid)]), time: 1, number: 2)
        let before = bytes
        bytes.withUnsafeMutableBytes {
            SendStamps.write(sendTime: 5, number: 6, map: Self.small, in: $0, payloadOffset: offset)
        }
        #expect(bytes == before)
        offset = 0
        bytes.withUnsafeMutableBytes {
            SendStamps.write(sendTime: 5, number: 6, map: Self.small, in: $0, payloadOffset: offset)
        }
        #expect(bytes == before)
    }
}

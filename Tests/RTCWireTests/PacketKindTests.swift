import RTCWire
import Testing

struct PacketKindTests {
    private func kind(_ first: UInt8, _ second: UInt8 = 0, count: Int = 20) -> PacketKind {
        withSpan([first, second] + [UInt8](repeating: 0, count: count - 2)) { PacketKind.classify($0) }
    }

    @Test func everyFirstByte() {
        for first in UInt8.min...UInt8.max {
            let expected: PacketKind =
                switch first {
                case 0...3: .stun
                case 16...19: .zrtp
                case 20...63: .dtls
                case 64...79: .turnChannel
                case 128...191: .rtp
                default: .unknown
                }
            #expect(kind(first, 96) == expected, "first byte \(first)")
        }
    }

    @Test func rtcpByItsSecondByte() {
        for second in UInt8.min...UInt8.max {
            #expect(kind(0x80, second) == ((192...223).contains(second) ? .rtcp : .rtp), "second byte \(second)")
        }
    }

    @Test func tooShortIsUnknown() {
        #expect(kind(0, count: 19) == .unknown && kind(22, count: 12) == .unknown)
        #expect(kind(0x80, 96, count: 11) == .unknown && kind(0x80, 200, count: 8) == .rtcp)
        #expect(withSpan([]) { PacketKind.classify($0) } == .unknown)
    }
}

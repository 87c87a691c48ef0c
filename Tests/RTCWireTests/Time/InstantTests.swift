import RTCWire
import Testing

@Suite struct InstantTests {
    @Test func arithmetic() {
        let start = Instant(nanoseconds: 1_000)
        #expect(start + .microseconds(2) == Instant(nanoseconds: 3_000))
        #expect(start - .microseconds(2) == Instant(nanoseconds: -1_000))
        #expect(start - Instant(nanoseconds: 400) == Interval(nanoseconds: 600))
        var later = start
        later += .milliseconds(1)
        #expect(later - start == .milliseconds(1) && start < later && later < .distantFuture && .zero < start)
    }

    @Test func units() {
        #expect(Interval.seconds(2) == .milliseconds(2000) && Interval.milliseconds(3) == .microseconds(3000))
        #expect(Interval.seconds(0.25) == .milliseconds(250) && Interval.seconds(-1.5).milliseconds == -1500)
        #expect(Interval.milliseconds(1500).seconds == 1.5 && Interval.microseconds(250).milliseconds == 0.25)
    }

    @Test func scaling() {
        #expect(Interval.milliseconds(10) * 3 == .milliseconds(30))
        #expect(Interval.milliseconds(10) * 0.5 == .milliseconds(5))
        #expect(Interval.milliseconds(10) / 4 == .microseconds(2500))
        #expect(Interval.milliseconds(10) + .milliseconds(5) - .milliseconds(20) == .milliseconds(-5))
        #expect(Interval.milliseconds(-5) < .zero && .zero < Interval(nanoseconds: 1))
    }

    /// A hostile timestamp must not trap: sums go round.
    @Test func theEndsOfTheLineWrap() {
        #expect(Instant.distantFuture + Interval(nanoseconds: 1) == Instant(nanoseconds: .min))
        #expect(Instant(nanoseconds: .min) - Interval(nanoseconds: 1) == .distantFuture)
        #expect(Instant(nanoseconds: .min) - Instant(nanoseconds: .max) == Interval(nanoseconds: 1))
        #expect(Interval(nanoseconds: .max) * 2 == Interval(nanoseconds: -2))
    }
}

@Suite struct TransportAddressTests {
    @Test func ipv4IsMapped() {
        let address = TransportAddress(ipv4: 0x7f00_0001, port: 80)
        #expect(address.isIPv4 && address.ipv4 == 0x7f00_0001 && address.high == 0 && address.low == 0xffff_7f00_0001)
        #expect(address == TransportAddress(high: 0, low: 0xffff_7f00_0001, port: 80))
    }

    @Test(
        arguments: [(0, 1), (0, 0x0001_7f00_0001), (1, 0xffff_7f00_0001), (0x2001_0db8_0000_0000, 1)]
            as [(UInt64, UInt64)])
    func othersAreNot(high: UInt64, low: UInt64) {
        #expect(!TransportAddress(high: high, low: low, port: 1).isIPv4)
    }

    @Test func everyPartCounts() {
        let address = TransportAddress(high: 1, low: 2, port: 3)
        let others = [(9, 2, 3), (1, 9, 3), (1, 2, 9)].map {
            TransportAddress(high: UInt64($0.0), low: UInt64($0.1), port: UInt16($0.2))
        }
        #expect(others.allSatisfy { $0 != address } && Set(others + [address, address]).count == 4)
    }
}

/// Network byte order, RFC 1700.
@Suite struct BigEndianTests {
    @Test func loads() {
        func read<R>(_ body: (RawSpan) -> R) -> R { withSpan(hex("00 0123456789abcdef fe")) { body($0) } }
        #expect(read { $0.byte(1) } == 0x01 && read { $0.byte(9) } == 0xfe)
        #expect(read { $0.uint16(1) } == 0x0123 && read { $0.uint16(8) } == 0xeffe)
        #expect(read { $0.uint24(1) } == 0x0001_2345 && read { $0.uint24(0) } == 0x0000_0123)
        #expect(read { $0.uint32(1) } == 0x0123_4567 && read { $0.uint32(6) } == 0xabcd_effe)
        #expect(read { $0.uint64(1) } == 0x0123_4567_89ab_cdef && read { $0.uint64(2) } == 0x2345_6789_abcd_effe)
    }

    @Test func stores() {
        let result = written { buffer in
            buffer.store(0x01 as UInt8, at: 0)
            buffer.store(0x0203 as UInt16, at: 1)
            buffer.store24(0xff04_0506, at: 3)
            buffer.store(0x0708_090a as UInt32, at: 6)
            buffer.store(0x0b0c_0d0e_0f10_1112 as UInt64, at: 10)
            return 18
        }
        #expect(result == (1...18).map { UInt8($0) })
    }

    @Test func theRestOfABuffer() {
        _ = written(8) { buffer in
            #expect(buffer.suffix(from: 0).count == 8 && buffer.suffix(from: 7).count == 1)
            #expect(buffer.suffix(from: 8).isEmpty && buffer.suffix(from: 100).isEmpty)
            return 0
        }
    }
}

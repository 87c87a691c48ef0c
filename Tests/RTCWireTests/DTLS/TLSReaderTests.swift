import Testing

@testable import RTCWire

/// The presentation language, RFC 5246 section 4.
@Suite struct TLSReaderTests {
    @Test func numbersStandInNetworkOrder() throws {
        var reader = TLSReader([1, 2, 3, 4, 5, 6])
        let one = try reader.uint8()
        let two = try reader.uint16()
        let three = try reader.uint24()
        #expect(one == 1 && two == 0x0203 && three == 0x04_0506 && reader.isAtEnd)
    }

    @Test func theLargestNumbers() throws {
        var reader = TLSReader([UInt8](repeating: 0xff, count: 6))
        let (one, two, three) = (try reader.uint8(), try reader.uint16(), try reader.uint24())
        #expect(one == .max && two == .max && three == 0xff_ffff)
    }

    /// What is too short is not read at all: the reader stands where it stood.
    @Test(arguments: 0..<3) func whatIsMissing(_ count: Int) {
        let bytes = [UInt8](repeating: 9, count: count)
        func fails(_ read: (inout TLSReader) throws(WireError) -> Void) -> Bool {
            var reader = TLSReader(bytes)
            do throws(WireError) { try read(&reader) } catch {
                return error == .truncated && (try? reader.take(count)) == bytes
            }
            return false
        }
        #expect(fails { reader throws(WireError) in _ = try reader.uint24() })
        #expect(fails { reader throws(WireError) in _ = try reader.take(count + 1) })
        if count < 2 { #expect(fails { reader throws(WireError) in _ = try reader.uint16() }) }
        if count < 1 { #expect(fails { reader throws(WireError) in _ = try reader.uint8() }) }
    }

    @Test(arguments: 1...3) func vectorsHaveTheirLengthBefore(_ width: Int) throws {
        for count in [0, 1, 255] {
            let content = (0..<count).map { UInt8($0) }
            var bytes: [UInt8] = []
            bytes.appendVector(content, width)
            #expect(bytes.count == width + count && Int(bytes[width - 1]) == count)
            var reader = TLSReader(bytes + [7])
            let read = try reader.vector(width)
            let next = try reader.uint8()
            #expect(read == content && next == 7 && reader.isAtEnd)
            guard count > 0 else { continue }
            var short = TLSReader(Array(bytes.dropLast()))
            #expect(throws: WireError.truncated) { try short.vector(width) }
        }
    }

    @Test func longVectors() throws {
        let content = [UInt8](repeating: 1, count: 0x01_0203)
        var bytes: [UInt8] = []
        bytes.appendVector(content, 3)
        #expect(Array(bytes.prefix(3)) == [1, 2, 3])
        var reader = TLSReader(bytes)
        let read = try reader.vector(3)
        #expect(read == content)
    }

    @Test func listsOfNumbers() throws {
        var bytes: [UInt8] = []
        bytes.appendNumbers([0x0102, 0xffff], 2)
        #expect(bytes == [0, 4, 1, 2, 0xff, 0xff])
        var reader = TLSReader(bytes)
        let read = try reader.numbers(2)
        #expect(read == [0x0102, 0xffff])
        var empty = TLSReader([0, 0])
        let nothing = try empty.numbers(2)
        #expect(nothing.isEmpty && empty.isAtEnd)
        var odd = TLSReader([0, 3, 1, 2, 3])
        #expect(throws: WireError.invalidLength) { try odd.numbers(2) }
    }

    @Test func theEndIsWhereNothingIsLeft() throws {
        var reader = TLSReader([1])
        #expect(throws: WireError.invalidLength) { try reader.expectEnd() }
        _ = try reader.uint8()
        #expect(throws: Never.self) { try reader.expectEnd() }
    }

    @Test func numbersOfThreeBytes() {
        for (value, expected) in [(0, [0, 0, 0]), (0x01_0203, [1, 2, 3]), (0xff_ffff, [255, 255, 255])]
            as [(Int, [UInt8])]
        {
            var bytes: [UInt8] = []
            bytes.append24(value)
            #expect(bytes == expected)
        }
    }
}

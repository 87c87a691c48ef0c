/// What a test card says about itself, as it was read from a picture.
public struct TestCardReading: Hashable, Sendable {
    /// Who drew the card.
    public let sender: UInt16
    /// The picture's number, from 0, one more with each picture.
    public let frameNumber: UInt32
    /// The capture time in microseconds of the monotonic clock, of which the lower 32 bits fit the card.
    public let timeMicroseconds: UInt32

    /// Makes a reading from its parts.
    public init(sender: UInt16, frameNumber: UInt32, timeMicroseconds: UInt32) {
        self.sender = sender
        self.frameNumber = frameNumber
        self.timeMicroseconds = timeMicroseconds
    }

    /// Seconds from capture to `now`; right for anything below half an hour.
    public func latency(at now: MediaTime) -> Double {
        let micros = UInt32(truncatingIfNeeded: now.nanoseconds / 1_000)
        return Double(Int32(bitPattern: micros &- timeMicroseconds)) / 1e6
    }
}

/// The strip of black and white cells along the top of a test card: 3 rows of 40 cells, as tall as 2/45 of the picture.
///
/// At 640x360 a cell is 16x16 pixels, which is one macroblock of VP8: a flat one costs a few bits and survives any
/// quantizer. At 160x90 it is still 4x4.
///
/// ```
///  column   0 1      2 ... 37                                                          38 39
///  row 0   |W B|  version 4 | sender 16 | frame number, upper 16                       | B W|
///  row 1   |B W|  frame number, lower 16 | time, upper 20                              | W B|
///  row 2   |W B|  time, lower 12 | CRC 24                                              | W B|
/// ```
enum TestCardCode {
    static let columns = 40
    static let rows = 3
    /// Data cells in one row, between the pilots.
    static let dataColumns = 36
    /// Whether the pilot cells 0, 1, 38, 39 of each row are white.
    static let pilots: [[Bool]] = [
        [true, false, false, true], [false, true, true, false], [true, false, true, false],
    ]
    private static let version: UInt128 = 0b0110

    /// The rows of the picture that a row of cells covers.
    static func lines(row: Int, height: Int) -> Range<Int> {
        (row * 2 * height + 22) / 45..<((row + 1) * 2 * height + 22) / 45
    }

    /// The columns of the picture that a column of cells covers.
    static func span(column: Int, width: Int) -> Range<Int> {
        (column * width + 20) / 40..<((column + 1) * width + 20) / 40
    }

    /// The 108 data bits, the first cell's in the highest place.
    static func word(_ reading: TestCardReading) -> UInt128 {
        let body =
            version << 80 | UInt128(reading.sender) << 64 | UInt128(reading.frameNumber) << 32
            | UInt128(reading.timeMicroseconds)
        return body << 24 | UInt128(checksum(body))
    }

    /// What 108 data bits say; nil unless version and checksum hold.
    static func reading(_ word: UInt128) -> TestCardReading? {
        let body = word >> 24
        guard body >> 80 == version, UInt128(checksum(body)) == word & 0xff_ffff else { return nil }
        return TestCardReading(
            sender: UInt16(truncatingIfNeeded: body >> 64), frameNumber: UInt32(truncatingIfNeeded: body >> 32),
            timeMicroseconds: UInt32(truncatingIfNeeded: body))
    }

    /// Whether a cell is white.
    static func isWhite(_ word: UInt128, row: Int, column: Int) -> Bool {
        switch column {
        case 0, 1: return pilots[row][column]
        case 38, 39: return pilots[row][column - 36]
        default: return word >> UInt128(107 - (row * dataColumns + column - 2)) & 1 == 1
        }
    }

    private static let black: UInt8 = 30
    private static let white: UInt8 = 225
    /// How much nearer to each other black and white are, by row, and by column modulo 8: no four neighbours cancel out.
    ///
    /// libvpx's VP9 (1.12, speed 5 and above) takes a block for one that is predicted well where its prediction is flat in each
    /// transform and the errors of all cancel out. Cells that change places with their opposites did, exactly, in one picture of
    /// twenty-five, and were left as they had been.
    private static let shades: [[UInt8]] = [
        [2, 12, 11, 0, 6, 15, 9, 1], [4, 8, 6, 14, 7, 12, 15, 13], [12, 8, 4, 9, 7, 5, 3, 10],
    ]

    /// What is drawn in a cell.
    static func luma(_ word: UInt128, row: Int, column: Int) -> UInt8 {
        let shade = shades[row][column & 7]
        return isWhite(word, row: row, column: column) ? white - shade : black + shade
    }

    /// CRC-24 of RFC 4880 section 6.1 over the 11 bytes of the body.
    private static func checksum(_ body: UInt128) -> UInt32 {
        var crc: UInt32 = 0xb7_04ce
        for shift in stride(from: 80, through: 0, by: -8) {
            crc ^= UInt32(UInt8(truncatingIfNeeded: body >> UInt128(shift))) << 16
            for _ in 0..<8 {
                crc <<= 1
                if crc & 0x100_0000 != 0 { crc ^= 0x186_4cfb }
            }
        }
        return crc & 0xff_ffff
    }
}

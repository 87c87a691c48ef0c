/// A moment of a chat: milliseconds of Unix time; on the wire `2026-05-01T12:00:00Z` (RFC 3339, UTC).
public struct DeskDate: Sendable, Hashable, Comparable, Codable {
    /// Milliseconds since 1970.
    public var milliseconds: Int64

    /// Milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// What the model product gives where there is no message.
    public static let none = DeskDate(milliseconds: 0)

    /// Orders by time.
    public static func < (a: DeskDate, b: DeskDate) -> Bool { a.milliseconds < b.milliseconds }

    /// Reads a date with seconds, with or without a fraction, whose zone is `Z`; nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (20...30).contains(bytes.count), bytes.last == UInt8(ascii: "Z") else { return nil }
        for (index, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)]
        where bytes[index] != UInt8(ascii: mark) {
            return nil
        }
        func number(_ range: Range<Int>, _ bounds: ClosedRange<Int64>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return bounds.contains(value) ? value : nil
        }
        guard let year = number(0..<4, 1...9_999), let month = number(5..<7, 1...12),
            let day = number(8..<10, 1...Self.days(in: month, of: year)), let hour = number(11..<13, 0...23),
            let minute = number(14..<16, 0...59), let second = number(17..<19, 0...59),
            let fraction = Self.fraction(bytes[19..<(bytes.count - 1)])
        else { return nil }
        let seconds = Self.dayNumber(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
        milliseconds = seconds * 1_000 + fraction
    }

    /// As it is written; years beyond 1...9999 are cut to these.
    public var text: String {
        let bounded = min(max(milliseconds, Self.first), Self.last)
        let day = Self.floor(bounded, 86_400_000)
        let rest = bounded - day * 86_400_000
        let (year, month, date) = Self.civil(day)
        let seconds = rest / 1_000
        let fraction = rest % 1_000 == 0 ? "" : "." + Self.padded(rest % 1_000, 3)
        return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(date, 2))T"
            + "\(Self.padded(seconds / 3_600, 2)):\(Self.padded(seconds / 60 % 60, 2)):\(Self.padded(seconds % 60, 2))"
            + fraction + "Z"
    }

    /// Reads the text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let date = DeskDate(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no date such as 2026-05-01T12:00:00Z")
        }
        self = date
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    private static let first = dayNumber(1, 1, 1) * 86_400_000
    private static let last = (dayNumber(9_999, 12, 31) + 1) * 86_400_000 - 1

    /// `.` and one to nine digits, of which three count; nothing is 0.
    private static func fraction(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard let point = bytes.first else { return 0 }
        let digits = bytes.dropFirst()
        guard point == UInt8(ascii: "."), (1...9).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let three = (Array(digits) + [UInt8](repeating: UInt8(ascii: "0"), count: 3)).prefix(3)
        return three.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    private static func floor(_ a: Int64, _ b: Int64) -> Int64 { a >= 0 ? a / b : -((b - 1 - a) / b) }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01 in the Gregorian calendar. Years begin in March, so that the leap day is the last.
    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = floor(shifted, 400)
        let ofEra = shifted - era * 400
        let ofYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }

    private static func civil(_ number: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = number + 719_468
        let era = floor(shifted, 146_097)
        let ofEra = shifted - era * 146_097
        let years = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * years + years / 4 - years / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (years + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

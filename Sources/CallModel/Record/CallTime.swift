/// A moment as call records and journals write it: milliseconds since 1970, UTC.
///
/// The types of this module read no clock: their callers say what time it is, so that tests can.
public struct CallTime: RawRepresentable, Sendable, Hashable, Comparable, Codable {
    /// Milliseconds since 1970.
    public var rawValue: Int64

    /// Milliseconds since 1970.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Milliseconds since 1970.
    public init(milliseconds: Int64) { rawValue = milliseconds }

    /// The origin.
    public static let zero = CallTime(rawValue: 0)
    /// Later than every other time.
    public static let distantFuture = CallTime(rawValue: .max)

    /// So many milliseconds later; times beyond the range wrap no way round, they stay at its end.
    public func advanced(by milliseconds: Int64) -> CallTime {
        let (sum, overflow) = rawValue.addingReportingOverflow(milliseconds)
        return CallTime(rawValue: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// Milliseconds from `earlier` to this time.
    public func milliseconds(since earlier: CallTime) -> Int64 { rawValue &- earlier.rawValue }

    /// Orders by time.
    public static func < (a: CallTime, b: CallTime) -> Bool { a.rawValue < b.rawValue }
}

import Foundation

/// The time of day, for what messages say of it.
enum WallClock {
    /// Since 1970.
    static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
    /// Since 1970.
    static var microseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000) }
}

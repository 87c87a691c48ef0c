import Foundation

extension CallTime {
    private static let origin = (
        wall: Int64(Date().timeIntervalSince1970 * 1000), monotonic: DispatchTime.now().uptimeNanoseconds
    )

    /// The time of day, which never goes back while the process runs: set once, then counted by the monotonic clock.
    public static var now: CallTime {
        // Read first: it is made when it is first asked for, and nothing may be earlier.
        let origin = origin
        let elapsed = Int64(bitPattern: DispatchTime.now().uptimeNanoseconds &- origin.monotonic)
        return CallTime(milliseconds: origin.wall &+ max(0, elapsed) / 1_000_000)
    }
}

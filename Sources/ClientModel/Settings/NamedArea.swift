/// The two meanings of a client's named area.
///
/// Set before the start, it chooses the configuration that the service loads. Set later, it says where *new* requests for
/// conversations queue, and changes neither the configuration nor a conversation that exists.
public struct NamedArea: Sendable, Hashable {
    /// Whose configuration the service loads.
    public private(set) var configuration: String?
    /// Where new conversations queue.
    public private(set) var queue: String?
    private var isRunning = false

    /// The area of a configuration.
    public init(_ area: String? = nil) {
        configuration = area
        queue = area
    }

    /// Sets the area. Throws `ClientError` for a name that is empty or too long.
    public mutating func set(_ area: String?) throws(ClientError) {
        if let area, !(1...128).contains(area.utf8.count) {
            throw ClientError(.invalidConfiguration, "namedArea: use 1 to 128 bytes, or nil", field: "namedArea")
        }
        queue = area
        if !isRunning { configuration = area }
    }

    /// A start or a stop. What was set last before a start is what the start loads.
    package mutating func run(_ isRunning: Bool) {
        if isRunning, !self.isRunning { configuration = queue }
        self.isRunning = isRunning
    }
}

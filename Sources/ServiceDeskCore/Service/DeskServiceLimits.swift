/// What users may make the reference service hold.
public struct DeskServiceLimits: Sendable, Hashable {
    /// Users and devices that have written something.
    public var owners = 10_000
    /// Tickets of one.
    public var tickets = 100
    /// Comments of a ticket.
    public var comments = 1_000
    /// Files, of all.
    public var files = 10_000
    /// Bytes of all files.
    public var fileBytes = 256 * 1024 * 1024
    /// Files of one that no comment has yet; the oldest give way.
    public var looseFiles = 20
    /// Comments and uploads of one in a minute.
    public var writesPerMinute = 120

    /// The defaults.
    public init() {}
}

/// Why a message that is well-formed JSON can't be used.
package struct MessageFault: Error, Hashable, CustomStringConvertible {
    /// Where in the message, `channel[1].width` for example; empty for the whole. Only names of ours, never the sender's.
    package var path: String
    /// What is wrong, and what to send instead.
    package var problem: String
    /// It is right but too long (HTTP status 413).
    package var isTooLong = false

    package var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}

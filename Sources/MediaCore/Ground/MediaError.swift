/// A failure that a person has to act on: it names the input, what is wrong with it, and the remedy.
public struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of input or environment failed.
    public enum Kind: Sendable, Hashable {
        /// A file can't be opened or read.
        case unreadable
        /// A file or value is well-formed, but of a kind that the engine doesn't take.
        case unsupported
        /// A file doesn't follow its format.
        case corrupt
        /// A file can't be written, for example on a full disk.
        case unwritable
        /// A library or its data is missing, or refused to start.
        case environment
        /// A caller's argument is out of range.
        case argument
    }

    /// What kind of failure this is.
    public let kind: Kind
    /// The file, text or setting at fault.
    public let subject: String
    /// What is wrong with it.
    public let problem: String
    /// What to do about it.
    public let remedy: String

    /// Makes an error from its parts, none of which ends in a full stop.
    public init(_ kind: Kind, _ subject: String, _ problem: String, remedy: String) {
        self.kind = kind
        self.subject = subject
        self.problem = problem
        self.remedy = remedy
    }

    /// One line: subject, problem, remedy.
    public var description: String { "\(subject): \(problem); \(remedy)" }
}

/// A codec refused one packet or one picture; the next may be fine.
package enum CodecError: Error, Hashable {
    /// The payload isn't a valid packet of this codec.
    case invalidPayload
    /// The frame length, picture size or buffer doesn't fit the codec's rules.
    case invalidArgument
    /// The picture is larger than the decoder's limit.
    case tooLarge
    /// The library failed with its own status code.
    case library(Int32)
}

/// Why compressed bytes could not be read.
package enum InflateError: Error, Hashable {
    case truncated
    case invalidHeader
    case invalidBlock
    case invalidCode
    case invalidDistance
    case checksumMismatch
    /// More output than the caller allows.
    case tooLarge
}

/// Why compressed bytes could not be read.
package enum InflateError: Error, Hashable {
    case truncated
    /// No such stream: a wrong header, block, code, distance or checksum.
    case invalid
    /// More output than the caller allows.
    case tooLarge
    /// zlib had no memory.
    case noMemory
}

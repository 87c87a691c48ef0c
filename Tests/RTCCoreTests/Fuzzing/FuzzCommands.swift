/// What is left of an input.
struct FuzzCommands {
    var rest: Slice<UnsafeRawBufferPointer>

    mutating func byte() -> UInt8? { rest.popFirst() }

    /// As many bytes as the next one says.
    mutating func bytes() -> [UInt8] {
        let count = Int(byte() ?? 0)
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

/// What all streams of a loop are read into, one after another. Loops without any never have it.
final class StreamMemory {
    private static let size = 64 * 1024
    private var memory: UnsafeMutableRawBufferPointer?

    /// Valid until the next stream is read.
    var bytes: UnsafeMutableRawBufferPointer {
        if let memory { return memory }
        let made = UnsafeMutableRawBufferPointer.allocate(byteCount: StreamMemory.size, alignment: 16)
        memory = made
        return made
    }

    deinit { memory?.deallocate() }
}

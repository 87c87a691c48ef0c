import CZlib

/// Reads and writes gzip (RFC 1952): one member, with a bound on what comes out.
package enum Gzip {
    /// Writes a member, by zlib; nil where zlib has no memory.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard czlib_gzip_init(&stream, UInt(bytes.count)) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let room = Int(deflateBound(&stream, UInt(bytes.count)))
        var input = bytes
        return input.withUnsafeMutableBufferPointer { input -> [UInt8]? in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            var isComplete = false
            let output = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(clamping: room)
                isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = room - Int(stream.avail_out)
            }
            // A copy, for `output` has the room that what can't be compressed needs. (`Array(output[...])` would share it.)
            return isComplete ? output.withUnsafeBufferPointer { Array($0) } : nil
        }
    }

    /// Reads a member, by zlib.
    ///
    /// - Parameter limit: most bytes to give.
    package static func decompress(_ bytes: [UInt8], limit: Int) throws(InflateError) -> [UInt8] {
        try Inflate.run(bytes, limit: limit, begin: czlib_gunzip_init)
    }
}

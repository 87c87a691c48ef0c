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
        var stream = z_stream()
        guard czlib_gunzip_init(&stream) == Z_OK else { throw .invalidHeader }
        defer { inflateEnd(&stream) }
        var input = bytes
        let result = input.withUnsafeMutableBufferPointer { input -> Result<[UInt8], InflateError> in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            return inflateAll(&stream, limit: limit, step: min(max(4 * input.count, 1024), 32 * 1024))
        }
        return try result.get()
    }

    private static func inflateAll(_ stream: inout z_stream, limit: Int, step: Int) -> Result<[UInt8], InflateError> {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: step)
        while true {
            var status = Z_OK
            let size = chunk.count
            let count = chunk.withUnsafeMutableBufferPointer { chunk in
                stream.next_out = chunk.baseAddress
                stream.avail_out = UInt32(clamping: size)
                status = inflate(&stream, Z_NO_FLUSH)
                return size - Int(stream.avail_out)
            }
            guard output.count + count <= limit else { return .failure(.tooLarge) }
            output += chunk[..<count]
            switch status {
            case Z_STREAM_END: return .success(output)
            case Z_OK where count > 0 || stream.avail_in > 0: continue
            case Z_OK, Z_BUF_ERROR: return .failure(.truncated)
            default: return .failure(.invalidBlock)
            }
        }
    }
}

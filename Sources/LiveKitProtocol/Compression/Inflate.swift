import CZlib

/// Reads DEFLATE streams (RFC 1951) by zlib, with a bound on what comes out.
package enum Inflate {
    /// Reads a stream that nothing stands around. What follows its end is left alone.
    ///
    /// - Parameter limit: most bytes to give.
    package static func decompress(_ bytes: [UInt8], limit: Int) throws(InflateError) -> [UInt8] {
        try run(bytes, limit: limit, begin: czlib_inflate_init)
    }

    static func run(
        _ bytes: [UInt8], limit: Int, begin: (UnsafeMutablePointer<z_stream>) -> Int32
    ) throws(InflateError) -> [UInt8] {
        var stream = z_stream()
        guard begin(&stream) == Z_OK else { throw .noMemory }
        defer { inflateEnd(&stream) }
        var input = bytes
        let result = input.withUnsafeMutableBufferPointer { input -> Result<[UInt8], InflateError> in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            return readAll(&stream, limit: limit, step: min(max(4 * input.count, 1024), 32 * 1024))
        }
        return try result.get()
    }

    private static func readAll(_ stream: inout z_stream, limit: Int, step: Int) -> Result<[UInt8], InflateError> {
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
            case Z_MEM_ERROR: return .failure(.noMemory)
            default: return .failure(.invalid)
            }
        }
    }
}

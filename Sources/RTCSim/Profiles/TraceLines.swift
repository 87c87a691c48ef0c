/// A line of a trace file that says something.
struct TraceLine {
    /// 1-based.
    var number: Int
    /// At least one.
    var fields: [(text: String, column: Int)]
}

/// The lines of a trace file: fields are separated by blanks, tabs or commas; `#` begins a remark.
struct TraceLines {
    private let bytes: [UInt8]
    private var position = 0
    private var count = 0
    /// Of the line read last, 1-based.
    private(set) var number = 0

    private static let mostFields = 16
    private static let longestField = 64

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next line with fields.
    mutating func next() throws(NetworkTraceError) -> TraceLine? {
        while position < bytes.count {
            number += 1
            let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            defer { position = end + 1 }
            let fields = try fields(position..<end)
            guard !fields.isEmpty else { continue }
            count += 1
            guard count <= NetworkTraceFile.mostLines else { throw NetworkTraceError(number, 1, .tooLong) }
            return TraceLine(number: number, fields: fields)
        }
        return nil
    }

    private func fields(_ line: Range<Int>) throws(NetworkTraceError) -> [(text: String, column: Int)] {
        var fields: [(text: String, column: Int)] = []
        var begin: Int?
        func end(_ index: Int) throws(NetworkTraceError) {
            guard let first = begin else { return }
            begin = nil
            let column = first - line.lowerBound + 1
            guard index - first <= Self.longestField, fields.count < Self.mostFields else {
                throw NetworkTraceError(number, column, .crowded)
            }
            fields.append((String(decoding: bytes[first..<index], as: UTF8.self), column))
        }
        for index in line {
            switch bytes[index] {
            case UInt8(ascii: "#"):
                try end(index)
                return fields
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: "\r"): try end(index)
            default: if begin == nil { begin = index }
            }
        }
        try end(line.upperBound)
        return fields
    }
}

/// Why a file is no trace, and where.
package struct NetworkTraceError: Error, Hashable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        case empty
        case tooLong
        case crowded
        case noHeader(String)
        case noColumns
        case unknownColumn(String)
        case repeatedColumn(String)
        case wrongCount(Int, Int)
        case invalid(String, String, to: Int)
        case lateStart
        case backwards
        case noDelivery(String)
        case noLength
    }

    /// 1-based; columns are bytes.
    package var line: Int
    package var column: Int
    package var problem: Problem

    init(_ line: Int, _ column: Int, _ problem: Problem) {
        self.line = line
        self.column = column
        self.problem = problem
    }

    /// `line:column: what is wrong; what would be right`.
    package var description: String { "\(line):\(column): \(problem)" }
}

extension NetworkTraceError.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "nothing is recorded; write a line \"time rate delay loss\" and lines of numbers below it"
        case .tooLong: "the file is too long; use at most 8 MiB and 500000 lines"
        case .crowded: "the line is too long; use at most 16 fields of 64 characters"
        case .noHeader(let text):
            "\"\(text)\" begins no trace; write \"time\" and the columns, or one whole number of milliseconds a line"
        case .noColumns: "time alone says nothing; add columns of rate, delay, jitter, loss"
        case .unknownColumn(let name):
            "\"\(name)\" is no column; use rate, delay, jitter, loss, with up. or down. before it for one direction"
        case .repeatedColumn(let name): "\(name) is there twice; give each direction's value once"
        case .wrongCount(let count, let wanted):
            "\(count) fields where the header has \(wanted); write - to keep a value"
        case .invalid(let name, let text, let most): "\(name) \"\(text)\" is not possible; use 0 to \(most)"
        case .lateStart: "the trace does not begin at 0; subtract its first time"
        case .backwards: "time goes back or stands; sort the lines, a millisecond apart at least in a table"
        case .noDelivery(let text):
            "\"\(text)\" is no time of a delivery; write one whole number of milliseconds a line"
        case .noLength: "the last time is 0, so the trace has no length; end it with the time when it begins again"
        }
    }
}

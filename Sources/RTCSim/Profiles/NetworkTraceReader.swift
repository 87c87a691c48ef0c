import RTCWire

/// What a trace file says, for each direction.
package struct NetworkTraceFile: Sendable, Hashable {
    package var up = Content()
    package var down = Content()

    /// Of one direction: either, or neither where the file says nothing of it.
    package struct Content: Sendable, Hashable {
        package var points: NetworkTrace?
        package var deliveries: DeliveryTrace?
    }

    /// Most bytes of a file.
    package static let longest = 8 * 1024 * 1024
    /// Most lines that say something.
    static let mostLines = 500_000

    /// Reads a table (`time rate delay loss` and lines of numbers below), or a packet delivery trace of mahimahi: a line of
    /// one whole number for each opportunity. Throws where, and what.
    package init(parsing bytes: [UInt8]) throws(NetworkTraceError) {
        guard bytes.count <= Self.longest else { throw NetworkTraceError(1, 1, .tooLong) }
        var lines = TraceLines(bytes)
        guard let first = try lines.next() else { throw NetworkTraceError(1, 1, .empty) }
        if first.fields.count == 1, Int(first.fields[0].text) != nil {
            let deliveries = try Self.deliveries(first, &lines)
            up.deliveries = deliveries
            down.deliveries = deliveries
        } else {
            var table = try TraceTable(first)
            while let line = try lines.next() { try table.add(line) }
            up.points = try table.trace(.up, lines.number)
            down.points = try table.trace(.down, lines.number)
        }
    }

    private static func deliveries(
        _ first: TraceLine, _ lines: inout TraceLines
    ) throws(NetworkTraceError) -> DeliveryTrace {
        var times: [Int] = []
        var line: TraceLine? = first
        while let present = line {
            let field = present.fields[0]
            guard present.fields.count == 1, let time = Int(field.text), (0...DeliveryTrace.longest).contains(time)
            else {
                let wrong = present.fields.count > 1 ? present.fields[1] : field
                throw NetworkTraceError(present.number, wrong.column, .noDelivery(wrong.text))
            }
            guard time >= times.last ?? 0 else { throw NetworkTraceError(present.number, field.column, .backwards) }
            times.append(time)
            line = try lines.next()
        }
        guard let trace = DeliveryTrace(times) else { throw NetworkTraceError(lines.number, 1, .noLength) }
        return trace
    }
}

/// The rows of a table as they are read.
private struct TraceTable {
    enum Direction { case up, down }

    private enum Value { case rate, delay, jitter, loss }

    private struct Column {
        var name: String
        var value: Value
        var isUp: Bool
        var isDown: Bool
    }

    private var columns: [Column] = []
    private var up: [NetworkTrace.Point] = []
    private var down: [NetworkTrace.Point] = []

    init(_ header: TraceLine) throws(NetworkTraceError) {
        guard header.fields[0].text == "time" else {
            throw NetworkTraceError(header.number, header.fields[0].column, .noHeader(header.fields[0].text))
        }
        for field in header.fields.dropFirst() {
            let halves = field.text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            let direction = halves.count == 2 ? halves[0] : nil
            guard let value = Self.values[String(halves[halves.count - 1])],
                direction == nil || direction == "up" || direction == "down"
            else { throw NetworkTraceError(header.number, field.column, .unknownColumn(field.text)) }
            let column = Column(name: field.text, value: value, isUp: direction != "down", isDown: direction != "up")
            let isTaken = columns.contains {
                $0.value == value && ($0.isUp && column.isUp || $0.isDown && column.isDown)
            }
            guard !isTaken else { throw NetworkTraceError(header.number, field.column, .repeatedColumn(field.text)) }
            columns.append(column)
        }
        guard !columns.isEmpty else { throw NetworkTraceError(header.number, 1, .noColumns) }
    }

    private static let values: [String: Value] = ["rate": .rate, "delay": .delay, "jitter": .jitter, "loss": .loss]

    mutating func add(_ line: TraceLine) throws(NetworkTraceError) {
        guard line.fields.count == columns.count + 1 else {
            let column = line.fields[min(line.fields.count - 1, columns.count + 1)].column
            throw NetworkTraceError(line.number, column, .wrongCount(line.fields.count, columns.count + 1))
        }
        let start = try start(line)
        var points = (up: up.last ?? .init(start: start), down: down.last ?? .init(start: start))
        (points.up.start, points.down.start) = (start, start)
        for (column, field) in zip(columns, line.fields.dropFirst()) where field.text != "-" {
            guard let number = Double(field.text), Self.range(column.value).contains(number) else {
                let range = Self.range(column.value)
                throw NetworkTraceError(
                    line.number, field.column, .invalid(column.name, field.text, to: Int(range.upperBound)))
            }
            if column.isUp { Self.set(column.value, number, &points.up) }
            if column.isDown { Self.set(column.value, number, &points.down) }
        }
        up.append(points.up)
        down.append(points.down)
    }

    private func start(_ line: TraceLine) throws(NetworkTraceError) -> Interval {
        let field = line.fields[0]
        guard let seconds = Double(field.text), (0...86_400).contains(seconds) else {
            throw NetworkTraceError(line.number, field.column, .invalid("time", field.text, to: 86_400))
        }
        let start = Interval.seconds(seconds)
        guard let last = up.last else {
            guard start == .zero else { throw NetworkTraceError(line.number, field.column, .lateStart) }
            return start
        }
        guard start - last.start >= .milliseconds(1) else {
            throw NetworkTraceError(line.number, field.column, .backwards)
        }
        return start
    }

    private static func range(_ value: Value) -> ClosedRange<Double> {
        switch value {
        case .rate: 0...10_000_000
        case .delay, .jitter: 0...10_000
        case .loss: 0...100
        }
    }

    private static func set(_ value: Value, _ number: Double, _ point: inout NetworkTrace.Point) {
        switch value {
        case .rate: point.rate = Int(number * 1000)
        case .delay: point.delay = .seconds(number / 1000)
        case .jitter: point.jitter = .seconds(number / 1000)
        case .loss: point.loss = number / 100
        }
    }

    func trace(_ direction: Direction, _ lastLine: Int) throws(NetworkTraceError) -> NetworkTrace? {
        guard columns.contains(where: { direction == .up ? $0.isUp : $0.isDown }) else { return nil }
        guard let trace = NetworkTrace(direction == .up ? up : down) else {
            throw NetworkTraceError(lastLine, 1, .empty)
        }
        return trace
    }
}

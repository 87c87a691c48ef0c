import Foundation

/// A program that answers each line that it reads with one line.
final class Program: Sendable {
    private let input = Pipe()
    private let lines: AsyncStream<String>
    private let ending: AsyncStream<Int32>

    /// The program beside the one that runs now.
    static func url(_ name: String) -> URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name)
    }

    init(_ name: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = Self.url(name)
        process.arguments = arguments
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        let (ending, ended) = AsyncStream.makeStream(of: Int32.self)
        self.ending = ending
        process.terminationHandler = {
            ended.yield($0.terminationStatus)
            ended.finish()
        }
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let reader = LineReader(line)
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            reader.take(data)
        }
        try process.run()
    }

    /// What the program answers to `line`. Throws where it has ended.
    func ask(_ line: String) async throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        for await answer in lines { return answer }
        throw CocoaError(.fileReadUnknown)
    }

    /// The exit status, when nothing more is to be read.
    func finish() async -> Int32 {
        try? input.fileHandleForWriting.close()
        for await status in ending { return status }
        return -1
    }
}

/// Cuts what is read into lines.
private final class LineReader: @unchecked Sendable {
    // Called by the file handle's own queue only, one piece after the other.
    private var rest = Data()
    private let line: AsyncStream<String>.Continuation

    init(_ line: AsyncStream<String>.Continuation) { self.line = line }

    func take(_ data: Data) {
        guard !data.isEmpty else { return line.finish() }
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
            rest = Data(rest[(end + 1)...])
        }
    }
}

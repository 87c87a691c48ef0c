import CHeapCount
import Dispatch
import Glibc

/// The far end of `ChildProcess`.
enum ChildMain {
    /// Serves commands until the input ends.
    ///
    /// - Parameter arguments: `server`, or `agents` and the server's port.
    static func run(_ arguments: [String]) async -> Never {
        do {
            switch arguments.first {
            case "server": try await serve()
            default: try await carry(port: arguments.dropFirst().first.flatMap { Int($0) } ?? 0)
            }
        } catch {
            say("error \(error)")
            _exit(1)
        }
        // Not `exit`: its handlers would run beside threads that still encrypt.
        _exit(0)
    }

    private static func serve() async throws {
        let (server, local) = try await LocalServer.start()
        say("\(local.port)")
        for await line in lines { say(line == "measure" ? measured : "error unknown command") }
        await server.stop()
    }

    private static func carry(port: Int) async throws {
        let agents = try LoadAgents(LocalServer(port: port))
        say("ok")
        for await line in lines {
            let words = line.split(separator: " ").map { String($0) }
            do {
                switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
                case ("measure", nil): say(measured)
                case ("publish", .some(let count)): say(try await agents.publish(count))
                case ("pair", .some(let count)): say(try await agents.pair(count))
                case ("audience", .some(let count)): say(try await agents.audience(count))
                default: say("error unknown command")
                }
            } catch {
                say("error \(error)")
            }
        }
    }

    /// Standard input, read by a thread that may wait.
    private static var lines: AsyncStream<String> {
        AsyncStream { continuation in
            DispatchQueue(label: "commands").async {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    /// Bytes of the heap in use, and resident ones.
    private static var measured: String { "\(heap_in_use()) \(resident)" }

    /// From /proc/self/statm, proc(5).
    private static var resident: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}

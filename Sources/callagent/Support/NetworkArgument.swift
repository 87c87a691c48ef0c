import ArgumentParser
import Foundation
import RTCSim

/// A network as `--network` and its kin take it: a profile's name, pairs, a trace file.
enum NetworkArgument {
    /// Trace files are found from the working directory. Throws `ValidationError`.
    static func profile(_ text: String) throws -> NetworkProfile { try profile(text, folder: ".") }

    /// - Parameter folder: from which trace files are found.
    /// Throws `ValidationError`.
    static func profile(_ text: String, folder: String) throws -> NetworkProfile {
        let reading = { (path: String) throws(NetworkProfileError) -> [UInt8] in
            try read(path.hasPrefix("/") || folder == "." ? path : folder + "/" + path)
        }
        do { return try NetworkProfile(parsing: text, reading: reading) } catch { throw ValidationError("\(error).") }
    }

    /// Bytes of a trace file; what is too long is cut a byte behind the bound, so that the reader says so.
    private static func read(_ path: String) throws(NetworkProfileError) -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw .file(path, String(cString: strerror(errno)))
        }
        do { return Array(try file.read(upToCount: NetworkTraceFile.longest + 1) ?? Data()) } catch {
            throw .file(path, FileFault.words(error))
        }
    }

    /// Who, and which network: `alice:3g,seed=7`.
    static func ofSomebody(_ text: String) throws -> (who: String, profile: NetworkProfile) {
        let halves = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard halves.count == 2 else {
            throw ValidationError("\"\(text)\" names nobody; write for example 'alice:3g' or 'alice:loss=5,delay=20'.")
        }
        return (halves[0], try profile(halves[1]))
    }

    /// For help texts.
    static let discussion = """
        A profile (\(NetworkProfile.presets.map(\.name).joined(separator: ", "))), name=value pairs, or a profile and pairs that \
        change it, separated by commas: loss, reorder, duplicate, burst-loss in percent; delay, jitter, reorder-delay, burst \
        (mean length of a burst of losses), queue in ms one way; rate in kbit/s; blackout=LENGTH@START/PERIOD; trace=FILE, a \
        recorded network. With up. or down. before it a pair holds for one direction. rebind=TIME changes the address again \
        and again; seed=N chooses the weather. See docs/netem.md.
        """
}

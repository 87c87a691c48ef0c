import Foundation

/// Lines for standard output that are there at once, also where it is a pipe or a file.
enum StandardOutput {
    static func line(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8)) }
}

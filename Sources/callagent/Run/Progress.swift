import Foundation
import Synchronization

/// One line on standard error that changes while something takes its time; nothing where that is no terminal.
final class Progress: Sendable {
    private let isShown: Bool
    private let last = Mutex("")

    /// - Parameter isQuiet: shows nothing even on a terminal.
    init(isQuiet: Bool = false) { isShown = !isQuiet && isatty(STDERR_FILENO) == 1 }

    func show(_ text: String) {
        guard isShown else { return }
        let changed = last.withLock { last in
            defer { last = text }
            return last != text
        }
        if changed { StandardError.write("\r\u{1b}[K\(text)") }
    }

    func end() {
        if isShown { StandardError.write("\r\u{1b}[K") }
    }
}

import CallModel
import Foundation
import Synchronization

/// One line on standard error that changes while something takes its time; nothing where that is no terminal.
///
/// Other lines of a run go through ``print(_:)``: on a terminal they would otherwise begin behind, or be overwritten by, the
/// changing one.
final class Progress: Sendable {
    private struct State {
        var shown = ""
        var hasEnded = false
    }

    private let isShown: Bool
    private let status: @Sendable (String) -> Void
    private let output: @Sendable (String) -> Void
    private let state = Mutex(State())

    private static let clear = "\r\u{1b}[K"

    /// - Parameter isQuiet: shows nothing even on a terminal.
    convenience init(isQuiet: Bool = false) {
        self.init(isShown: !isQuiet && isatty(STDERR_FILENO) == 1, status: StandardError.write) {
            StandardOutput.line($0)
        }
    }

    /// - Parameters:
    ///   - isShown: whether there is a terminal for it.
    ///   - status: writes what changes.
    ///   - output: writes lines that stay.
    init(isShown: Bool, status: @escaping @Sendable (String) -> Void, output: @escaping @Sendable (String) -> Void) {
        self.isShown = isShown
        self.status = status
        self.output = output
    }

    func show(_ text: String) {
        guard isShown else { return }
        let text = text.printable
        state.withLock { state in
            guard state.shown != text, !state.hasEnded else { return }
            state.shown = text
            status(Self.clear + text)
        }
    }

    /// Writes a line that stays, above the one that changes.
    func print(_ line: String) {
        state.withLock { state in
            let isOnScreen = isShown && !state.shown.isEmpty
            if isOnScreen { status(Self.clear) }
            output(line)
            if isOnScreen { status(state.shown) }
        }
    }

    func end() {
        guard isShown else { return }
        state.withLock { state in
            state.hasEnded = true
            state.shown = ""
            status(Self.clear)
        }
    }
}

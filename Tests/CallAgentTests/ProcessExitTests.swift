import Foundation
import Testing

@testable import callagent

/// The command must not run exit handlers: loop threads may still use the libraries that those take down.
@Suite(.timeLimit(.minutes(10))) struct ProcessExitTests {
    @Test func exitHandlersDoNotRun() async {
        await #expect(processExitsWith: .exitCode(3)) {
            atexit { abort() }
            ProcessExit.leave(3)
        }
    }

    @Test func whatWasPrintedIsWritten() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            print("the last word")
            ProcessExit.leave(0)
        }
        #expect(String(decoding: result.standardOutputContent, as: UTF8.self).contains("the last word"))
    }
}

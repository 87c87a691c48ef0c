import CallBridge
import Foundation
import MediaCore
import Synchronization
import Testing

@testable import callagent

/// Reports as values: what fails a run is named once for people and once for machines.
@Suite struct ReportTests {
    private static let text = SummaryText(isColoured: false)

    @Test func eachReasonStandsInTheReportAndItsText() throws {
        var report = RunReport()
        var track = TrackReport(from: "bob", to: "ada", kind: "audio", codec: "opus")
        track.fail(.concealed, "its sound; with a semicolon")
        track.fail(.undecryptable, "and closed")
        report.add(track, named: "audio of bob")
        report.fail(.concealed, "another one")
        #expect(!report.ok && report.reasons == [.concealed, .undecryptable])
        #expect(
            report.failures == ["audio of bob: its sound; with a semicolon", "audio of bob: and closed", "another one"])
        let text = Self.text.verdict(report).joined(separator: "\n")
        #expect(report.failures.allSatisfy(text.contains) && text.contains("reasons: concealed, undecryptable"))
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any]
        #expect(json?["reasons"] as? [String] == ["concealed", "undecryptable"])
        let first = try #require((json?["tracks"] as? [[String: Any]])?.first)
        #expect(first["reasons"] as? [String] == ["concealed", "undecryptable"] && first["ok"] as? Bool == false)
    }

    @Test func onlyFilesThatAreMissingAreTheEnvironments() {
        var report = RunReport()
        #expect(report.status == .success)
        report.note(.init(events: 3, violations: [], failure: "the journal f can't be written"))
        report.fail(.output, "recording: x.wav")
        #expect(report.status == .environment && report.journal.failure == "the journal f can't be written")
        report.note(.init(events: 3, violations: ["a rule"]))
        #expect(report.status == .lost && report.reasons == [.journal, .output, .journalRules])
    }

    @Test func everyReasonIsDocumented() throws {
        let page = try String(
            contentsOfFile: #filePath.replacing("Tests/CallAgentTests/ReportTests.swift", with: "docs/reports.md"),
            encoding: .utf8)
        for reason in FailureReason.allCases { #expect(page.contains("`\(reason.rawValue)`"), "\(reason)") }
    }

    @Test func whoeverIsAloneIsToldSo() {
        var report = RunReport()
        (report.identity, report.met) = ("ada", [])
        var sent = TrackReport(from: "ada", to: "*", kind: "audio", codec: "opus")
        sent.packetsSent = 300
        report.add(sent, named: "audio of ada")
        let alone = JoinSummary(summary: Self.text).text(report)
        #expect(alone.contains("Nobody else was there") && !alone.contains("Everything that was sent"))
        report.met = ["bob"]
        let silent = JoinSummary(summary: Self.text).text(report)
        #expect(silent.contains("Nobody sent anything") && !silent.contains("Nobody else"))
        report.add(TrackReport(from: "bob", to: "ada", kind: "audio", codec: "opus"), named: "audio of bob")
        #expect(JoinSummary(summary: Self.text).text(report).contains("Everything that was sent was heard and seen."))
    }

    @Test func lostConnectionsStandInTheText() {
        var report = RunReport()
        var bob = ParticipantReport(identity: "bob")
        bob.reconnects = 2
        report.participants = [ParticipantReport(identity: "ada"), bob]
        #expect(Self.text.call(report).contains("connections lost and made anew: bob 2x"))
        bob.reconnects = 0
        report.participants = [bob]
        #expect(!Self.text.call(report).contains("made anew"))
    }

    @Test func reconnectsAreCountedFromTheCallsEvents() {
        var course = CallCourse()
        course.note(.reconnecting(.quick), at: .zero)
        #expect(course.isLost && course.reconnects == 0)
        course.note(.reconnecting(.full), at: .zero)
        course.note(.reconnected(gapMilliseconds: 5, .full), at: .zero)
        #expect(!course.isLost && course.reconnects == 1)
    }

    @Test func whatWeWereForbiddenToSendIsNamedOnce() {
        var course = PublishingCourse()
        let me = Participant(id: "me", identity: "ada", isLocal: true)
        let track = Track(id: "t", kind: .audio, isMuted: true)
        for _ in 0..<3 {
            course.note(.localTrackMuted(track))
            course.note(.trackUnpublished(track, me))
        }
        course.note(.trackUnpublished(track, Participant(id: "p", identity: "bob")))
        #expect(course.refusals == ["the server muted our audio", "the server withdrew our audio"])
    }

    @Test func namesFromTheNetworkDoNotSteerATerminal() {
        var report = RunReport()
        let hostile = "\u{1b}]0;owned\u{7}\n" + String(repeating: "e\u{301}", count: 1_000)
        report.add(TrackReport(from: hostile, to: "ada", kind: "audio", codec: "opus"), named: "x")
        let row = Self.text.tracks(report)[1]
        #expect(!row.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(row.utf8.count < 300)
    }
}

/// The line that changes, and those that stay.
@Suite struct ProgressTests {
    /// A terminal that knows carriage return, line feed and "erase to the end of the line".
    private final class Terminal: Sendable {
        private let bytes = Mutex("")

        func write(_ text: String) { bytes.withLock { $0 += text } }

        var lines: [String] {
            bytes.withLock { $0 }.replacing("\u{1b}[K", with: "\u{0}").split(
                separator: "\n", omittingEmptySubsequences: false
            )
            .map { line in
                var screen: [Character] = []
                var column = 0
                for character in line {
                    switch character {
                    case "\r": column = 0
                    case "\u{0}": screen.removeSubrange(min(column, screen.count)...)
                    default:
                        if column < screen.count { screen[column] = character } else { screen.append(character) }
                        column += 1
                    }
                }
                return String(screen)
            }
        }
    }

    @Test func linesThatStayAndTheOneThatChangesKeepApart() {
        let terminal = Terminal()
        let progress = Progress(
            isShown: true, status: { terminal.write($0) }, output: { terminal.write($0 + "\n") })
        progress.print("before anything")
        progress.show("  1.0 s  2 tracks flow, ada speaks")
        progress.print("indicator: video of ada")
        progress.show("  1.2 s  2 tracks flow, ada speaks")
        progress.print("indicator: video of bob")
        #expect(
            terminal.lines == [
                "before anything", "indicator: video of ada", "indicator: video of bob",
                "  1.2 s  2 tracks flow, ada speaks",
            ])
        progress.end()
        progress.show("too late")
        progress.print("after it")
        #expect(terminal.lines.suffix(2) == ["after it", ""])
    }

    @Test func withoutATerminalOnlyLinesThatStayAreWritten() {
        let terminal = Terminal()
        let progress = Progress(
            isShown: false, status: { terminal.write($0) }, output: { terminal.write($0 + "\n") })
        progress.show("never")
        progress.print("indicator: nobody")
        progress.end()
        #expect(terminal.lines == ["indicator: nobody", ""])
    }
}

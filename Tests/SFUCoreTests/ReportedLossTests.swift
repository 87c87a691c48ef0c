import Testing

@testable import SFUCore

/// What reports say of a subscriber's own way.
@Suite struct ReportedLossTests {
    private var loss = ReportedLoss()
    private var given: Int64 = 0
    private var cumulative: Int32 = 0

    /// A second of a hundred packets; gives the mean after its report.
    ///
    /// - Parameters:
    ///   - lost: packets that the report calls lost.
    ///   - holes: all that the server knows of.
    private mutating func second(_ lost: Int32 = 0, holes: Int, of ssrc: UInt32 = 7) -> Double {
        given += 100
        cumulative += lost
        loss.note(
            fraction: Double(lost) / 100, cumulative: cumulative, of: ssrc,
            row: SequenceRow(given: given, holes: holes))
        return loss.take()
    }

    @Test mutating func withoutHolesTheReportHolds() {
        #expect(second(50, holes: 0) == 0.1)
        #expect(abs(second(100, holes: 0) - 0.28) < 1e-9)
        #expect(loss.take() == 0, "none has come since")
    }

    @Test mutating func holesAreNobodysLoss() {
        #expect(second(holes: 0) == 0)
        #expect(second(60, holes: 60) == 0)
        #expect(second(holes: 60) == 0)
    }

    /// The server may know of a hole before the subscriber tells of it, and after.
    @Test(arguments: [true, false]) mutating func whoeverIsFirst(isServer: Bool) {
        #expect(second(holes: 0) == 0)
        if isServer {
            #expect(second(holes: 60) == 0)
            #expect(second(60, holes: 60) == 0)
        } else {
            // A report that is ahead of what we know is believed, once.
            #expect(second(60, holes: 0) == 0.12)
            #expect(second(holes: 60) < 0.12)
        }
        for _ in 0..<20 { _ = second(holes: 60) }
        #expect(second(holes: 60) < 0.002)
    }

    @Test mutating func lossesBesideHolesCount() {
        #expect(second(holes: 0) == 0)
        // Sixty holes among a hundred numbers, and twenty more are missing: half of the forty that were sent.
        #expect(abs(second(80, holes: 60) - 0.1) < 1e-9)
    }

    /// Packets that come late fill holes on both sides.
    @Test mutating func holesThatAreFilled() {
        #expect(second(60, holes: 60) == 0)
        #expect(second(-60, holes: 0) == 0)
        #expect(abs(second(50, holes: 0) - 0.1) < 1e-9)
    }

    @Test mutating func whatIsNotKnownIsBelieved() {
        loss.note(fraction: 0.5, cumulative: 12, of: 7, row: nil)
        #expect(loss.take() == 0.1)
    }

    @Test mutating func streamsThatHaveEndedAreForgotten() {
        for ssrc in 0..<3_000 as Range<UInt32> { _ = second(holes: 0, of: ssrc) }
        #expect(second(50, holes: 0, of: 1) > 0)
    }
}

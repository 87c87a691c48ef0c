import ArgumentParser
import Foundation
import MediaCore

/// `callagent score`: the full-reference score of files, and its calibration.
struct ScoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "score",
        abstract: "Score what was heard beside what was said: 1 (nothing of it is left) to 5 (no difference).",
        discussion: """
            EXAMPLES
              callagent score --reference said.wav --heard heard.wav
              callagent score --calibrate
              callagent score --calibrate --svg docs/images/audio-score.svg

            What is heard may be late, louder or quieter, and stretched; see docs/quality.md.

            \(ExitStatus.table)
            """)

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A WAV file of what was said, 120 s at most.", valueName: "file"))
    var reference: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A WAV file of what was heard, at any place in the reference.", valueName: "file"))
    var heard: String?

    @Flag(name: .long, help: "The reference is played over and over.")
    var repeats = false

    @Flag(
        name: .long,
        help: "Measure speech through Opus and the jitter buffer under losses, in virtual time, and print the tables.")
    var calibrate = false

    @Option(name: .long, parsing: .unconditional, help: "With --calibrate: voices and losses to measure, 1 to 100.")
    var seeds = 8

    @Option(name: .long, parsing: .unconditional, help: "With --calibrate: seconds of speech for each, 5 to 60.")
    var seconds = 20.0

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("With --calibrate: draw the scores into a file too.", valueName: "file"))
    var svg: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard calibrate else {
            guard reference != nil, heard != nil else {
                throw ValidationError("Give --reference and --heard, or --calibrate.")
            }
            guard svg == nil else { throw ValidationError("--svg draws what --calibrate measures.") }
            return
        }
        guard reference == nil, heard == nil else {
            throw ValidationError("--calibrate makes its own speech; leave out --reference and --heard.")
        }
        guard (1...100).contains(seeds) else { throw ValidationError("--seeds \(seeds): use 1 to 100.") }
        guard (5...60).contains(seconds) else { throw ValidationError("--seconds \(seconds): use 5 to 60.") }
    }

    func run() throws {
        output.bootstrapLogging()
        guard calibrate else { return try scoreFiles() }
        let file = try svg.map { try ResultFile("--svg", path: $0) }
        let calibration = ScoreCalibration(seconds: seconds, seeds: 1..<(UInt64(seeds) + 1))
        let table = CalibrationReport(
            losses: try calibration.rows(losses: [0, 1, 2, 5, 10, 20, 40]).map(CalibrationReport.Loss.init),
            harms: try calibration.harms().map { .init(name: $0.name, score: CalibrationReport.rounded($0.score)) },
            pictures: CalibrationReport.pictureScores)
        if output.json { JSONOutput.print(table) } else { StandardOutput.report(table.text) }
        file?.write(Data(CalibrationPlot(table.losses).svg.utf8))
        try file?.close()
    }

    private func scoreFiles() throws {
        guard let reference, let heard else { return }
        let source = try WAVSource(path: heard)
        var score = ReferenceScore(try ReferenceSound(wav: reference, repeats: repeats))
        var piece = [Int16](repeating: 0, count: 9_600 * source.channels)
        while true {
            let count = piece.withUnsafeMutableBufferPointer { samples in
                let read = source.read(into: samples)
                score.append(
                    UnsafeBufferPointer(rebasing: samples[..<(read * source.channels)]), channels: source.channels)
                return read
            }
            if count == 0 { break }
        }
        if let failure = source.failure { throw failure }
        guard let opinion = score.opinion else {
            throw ExitStatus.Failure(
                status: .lost, message: "\(heard) holds less than a second of sound to compare; record more of it")
        }
        var audio = AudioReport(rms: 0, concealedMs: 0, playedMs: 0)
        audio.note(opinion)
        if output.json { return JSONOutput.print(ScoredFile(score: audio.score, scored: audio.scored)) }
        let gain = opinion.gainDecibels.map { String(format: ", %+.1f dB", $0) } ?? ""
        StandardOutput.report(
            String(format: "%.2f of 5, over %.1f s%@", opinion.score, opinion.comparedSeconds, gain))
    }
}

/// What `score` prints with `--json`.
private struct ScoredFile: Encodable {
    var score: Double?
    var scored: ScoreReport?
}

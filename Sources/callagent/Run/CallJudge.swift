import Foundation
import MediaCore

/// Decides whether a track arrived whole: every picture from the first one on, and the sound of the right sender.
struct CallJudge {
    /// The sound of what each participant spoke since `start`.
    private let sources: [SpectralProfile]
    /// The same, to be scored against; nil where nobody asked for scores.
    private let references: [ReferenceSound]?
    private let start: MediaTime
    /// The network is bad on purpose: what a good one promises beyond whole tracks isn't asked for.
    private let isImpaired: Bool
    /// In which this machine ran our timers late.
    private let lateMilliseconds: Double
    /// Who has had a whole turn, by which their sound can be told from others'.
    private let hasSpoken: [Bool]

    private static let minimumMatch = 0.8
    /// Seconds from mouth to ear within which a score looks for what was said.
    private static let longestDelay = 3.0

    /// - Parameters:
    ///   - sources: samples of each participant's speech, the first of them spoken at `start`.
    ///   - script: the turns that came to their end.
    ///   - scores: whether sound is scored against what was said.
    init(
        sources: [[Int16]], script: TurnScript, start: MediaTime, isImpaired: Bool, lateMilliseconds: Double,
        scores: Bool = false
    ) {
        references = scores ? sources.map { ReferenceSound($0) } : nil
        hasSpoken = sources.indices.map { script.seconds(of: $0) > 0 }
        self.sources = sources.map(Self.profile)
        self.start = start
        self.isImpaired = isImpaired
        self.lateMilliseconds = lateMilliseconds
    }

    private static func profile(_ samples: [Int16]) -> SpectralProfile {
        var profile = SpectralProfile()
        samples.withUnsafeBufferPointer { profile.append($0, channels: 1) }
        return profile
    }

    /// Completes `track` and names what is wrong with it.
    func judge(_ track: inout TrackReport, probe: InboundProbe?, sender: Int, lastNumber: UInt32) {
        guard let probe else { return track.fail(.notSubscribed, "it was never subscribed") }
        let reception = ReceptionJudge(
            limits: isImpaired ? nil : ReceptionJudge.Limits(), lateMilliseconds: lateMilliseconds)
        defer { reception.judge(&track) }
        guard track.framesDecoded > 0 else { return track.fail(.nothingArrived, "nothing arrived") }
        if let card = probe.card {
            judgePictures(card.report, &track, lastNumber: lastNumber)
        } else if let tape = probe.tape, hasSpoken[sender] {
            judgeSound(tape, &track, sender: sender)
        }
    }

    private func judgePictures(_ card: TestCardReport, _ track: inout TrackReport, lastNumber: UInt32) {
        guard let last = card.last else { return track.fail(.damaged, "no picture could be read") }
        if card.wrongSender > 0 { track.fail(.wrongSender, "\(card.wrongSender) pictures of somebody else") }
        if card.missing > 0 {
            track.fail(.framesMissing, "\(card.missing) pictures are missing\(Self.text(card.gaps))")
        }
        if last < lastNumber {
            track.fail(.framesMissing, "the last picture is number \(last), but \(lastNumber) had been sent")
        }
        if card.unreadable > 0 { track.fail(.damaged, "\(card.unreadable) pictures are damaged") }
        if isImpaired {
            guard let requests = track.keyFrameRequestsAfterStart, requests > 0 else { return }
            track.fail(.keyFramesRequested, "\(requests) key frames had to be asked for after the start")
        } else if let first = track.firstFrameMs, first > 1000 {
            track.fail(.slowStart, "the first picture took \(Int(first)) ms")
        }
    }

    private static func text(_ gaps: [ClosedRange<UInt32>]) -> String {
        guard let first = gaps.first else { return "" }
        return " (the first: \(first.lowerBound)...\(first.upperBound))"
    }

    private func judgeSound(_ tape: AudioTape, _ track: inout TrackReport, sender: Int) {
        let samples = tape.samples(from: start)
        let heard = Self.profile(samples)
        let match = SpectralMatch(received: heard, source: sources[sender]).similarity
        let others = sources.indices.filter { $0 != sender }.map {
            SpectralMatch(received: heard, source: sources[$0]).similarity
        }
        let bestOther = others.max() ?? 0
        track.audio?.match = (match * 1000).rounded() / 1000
        track.audio?.bestOther = (bestOther * 1000).rounded() / 1000
        if let references { score(samples, against: references[sender], &track) }
        if match < Self.minimumMatch {
            track.fail(.unlikeSender, String(format: "it sounds unlike its sender (match %.2f)", match))
        } else if match < 2 * bestOther {
            track.fail(.unlikeSender, String(format: "it sounds like somebody else too (%.2f)", bestOther))
        }
    }

    private func score(_ heard: [Int16], against reference: ReferenceSound, _ track: inout TrackReport) {
        var score = ReferenceScore(reference, place: .behind(seconds: Self.longestDelay))
        score.append(heard)
        if let opinion = score.opinion { track.audio?.note(opinion) }
    }
}

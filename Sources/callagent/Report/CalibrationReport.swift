import Foundation
import MediaCore

/// What `score --calibrate` prints.
struct CalibrationReport: Encodable {
    var losses: [Loss]
    var harms: [Harm]
    var pictures: [Pictures]

    /// Sound under random loss.
    struct Loss: Encodable {
        var percent: Double
        var score: Double
        var lowest: Double
        var highest: Double
        var disturbance: Double
        var eModel: Double

        init(_ row: ScoreCalibration.Row) {
            percent = row.loss
            score = CalibrationReport.rounded(row.mean)
            lowest = CalibrationReport.rounded(row.lowest)
            highest = CalibrationReport.rounded(row.highest)
            disturbance = (row.disturbance * 1000).rounded() / 1000
            eModel = CalibrationReport.rounded(row.model)
        }
    }

    /// What else is done to sound.
    struct Harm: Encodable {
        var name: String
        var score: Double
    }

    /// Pictures of a height, by the share of time that they stand still.
    struct Pictures: Encodable {
        var height: Int
        var scores: [Double]
    }

    static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    /// Percent of a minute; a freeze lasts half a second.
    static let frozen = [0.0, 1, 2, 5, 10, 20, 40]

    /// By the model alone.
    static var pictureScores: [Pictures] {
        [1_080, 720, 360, 180].map { height in
            Pictures(
                height: height,
                scores: frozen.map { percent in
                    rounded(
                        VideoOpinion(
                            height: height, framesPerSecond: 30, frozenShare: percent / 100,
                            freezesPerMinute: percent / 100 * 60 / 0.5
                        ).score)
                })
        }
    }

    /// Tables in Markdown.
    var text: String {
        (lossTable + [""] + harmTable + [""] + pictureTable).joined(separator: "\n")
    }

    private var lossTable: [String] {
        [
            Self.row(["lost"] + losses.map { "\(Int($0.percent)) %" }),
            "|---|" + losses.map { _ in "---|" }.joined(),
            Self.row(["score"] + losses.map { Self.number($0.score) }),
            Self.row(["lowest, highest"] + losses.map { "\(Self.number($0.lowest)), \(Self.number($0.highest))" }),
            Self.row(["disturbance"] + losses.map { String(format: "%.3f", $0.disturbance) }),
            Self.row(["E-model"] + losses.map { Self.number($0.eModel) }),
        ]
    }

    private var harmTable: [String] {
        ["| heard | score |", "|---|---|"] + harms.map { Self.row([$0.name, Self.number($0.score)]) }
    }

    private var pictureTable: [String] {
        [
            Self.row(["lines"] + Self.frozen.map { "\(Int($0)) % frozen" }),
            "|---|" + Self.frozen.map { _ in "---|" }.joined(),
        ] + pictures.map { Self.row(["\($0.height)"] + $0.scores.map(Self.number)) }
    }

    private static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    private static func number(_ value: Double) -> String { String(format: "%.2f", value) }
}

/// The scores under loss as a picture: losses by their square root, so that small ones are seen.
struct CalibrationPlot {
    private let losses: [CalibrationReport.Loss]
    private static let (width, height, left, top) = (560.0, 320.0, 50.0, 20.0)

    init(_ losses: [CalibrationReport.Loss]) { self.losses = losses }

    private func x(_ percent: Double) -> Double {
        let most = max(losses.map(\.percent).max() ?? 1, 1)
        return Self.left + (percent / most).squareRoot() * (Self.width - Self.left - 20)
    }

    private func y(_ score: Double) -> Double { Self.top + (5 - score) / 4 * (Self.height - Self.top - 50) }

    private func line(_ score: (CalibrationReport.Loss) -> Double, _ color: String, _ dash: String) -> String {
        let points = losses.map { String(format: "%.1f,%.1f", x($0.percent), y(score($0))) }.joined(separator: " ")
        return "<polyline points=\"\(points)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\"\(dash)/>"
    }

    private func text(_ text: String, _ x: Double, _ y: Double, _ anchor: String, _ color: String = "#444") -> String {
        String(
            format: "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%@\" fill=\"%@\">%@</text>", x, y, anchor, color, text)
    }

    /// The whole file.
    var svg: String {
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" "
                + "font-family=\"sans-serif\" font-size=\"12\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
        ]
        for score in 1...5 {
            let level = y(Double(score))
            parts.append(
                String(
                    format: "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>", Self.left, level, Self.width - 20))
            parts.append(text("\(score)", Self.left - 8, level + 4, "end"))
        }
        for loss in losses {
            let place = x(loss.percent)
            parts.append(text("\(Int(loss.percent))", place, Self.height - 32, "middle"))
            parts.append(
                String(
                    format: "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#0a6\" stroke-width=\"6\" stroke-opacity=\"0.3\"/>",
                    place, y(loss.highest), y(loss.lowest)))
        }
        parts.append(text("packets lost, %", (Self.width + Self.left) / 2, Self.height - 12, "middle"))
        parts.append(line(\.score, "#0a6", ""))
        parts.append(line(\.eModel, "#666", " stroke-dasharray=\"5 4\""))
        parts.append(text("full-reference score, lowest to highest", Self.width - 30, Self.top + 16, "end", "#0a6"))
        parts.append(text("E-model at 100 ms", Self.width - 30, Self.top + 32, "end", "#666"))
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }
}

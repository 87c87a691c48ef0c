import ArgumentParser
import LoadCore

/// `90`, `60s`, `1m30s`, `2h`: a span of time, in seconds.
struct LoadDuration: ExpressibleByArgument {
    var seconds: Double

    var defaultValueDescription: String { "\(Int(seconds))s" }

    init(seconds: Double) { self.seconds = seconds }

    init?(argument: String) {
        if let seconds = Double(argument) {
            self.seconds = seconds
            return
        }
        var (sum, digits) = (0.0, "")
        for character in argument.lowercased() {
            if let factor = ["s": 1.0, "m": 60, "h": 3600][character] {
                guard let value = Double(digits) else { return nil }
                sum += value * factor
                digits = ""
            } else {
                digits.append(character)
            }
        }
        guard digits.isEmpty, !argument.isEmpty else { return nil }
        seconds = sum
    }
}

/// `600k`, `1.5M`, `250000`: bits a second.
struct Bitrate: ExpressibleByArgument {
    var bits: Int

    init?(argument: String) {
        let factor = ["k": 1e3, "m": 1e6][argument.lowercased().suffix(1)]
        guard let value = Double(factor == nil ? argument[...] : argument.dropLast()), value.isFinite else {
            return nil
        }
        let bits = value * (factor ?? 1)
        guard (10_000...50_000_000).contains(bits) else { return nil }
        self.bits = Int(bits)
    }
}

/// `high`, `medium` and `low` as `lk load-test` has them, or `WxH@FPS`.
struct LoadResolution: ExpressibleByArgument {
    var format: PictureFormat
    /// Bits a second where nothing else is said.
    var bitrate: Int

    var defaultValueDescription: String { "medium" }

    static let medium = LoadResolution(argument: "medium")!

    init?(argument: String) {
        let (size, bitrate): (String, Int) =
            switch argument.lowercased() {
            case "high": ("1280x720@30", 1_700_000)
            case "medium": ("640x360@30", 600_000)
            case "low": ("320x180@15", 150_000)
            default: (argument, 0)
            }
        guard let format = PictureFormat(argument: size) else { return nil }
        self.format = format
        let estimate = Int(Double(format.width * format.height) * format.frameRate * 0.09)
        self.bitrate = bitrate > 0 ? bitrate : min(max(150_000, estimate), 50_000_000)
    }
}

/// How participants arrive.
enum LoadArrival: String, ExpressibleByArgument, CaseIterable {
    case ramp, burst, churn, soak
}

extension LoadLayout: ExpressibleByArgument {}

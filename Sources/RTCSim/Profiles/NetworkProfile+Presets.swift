import RTCWire

extension NetworkProfile {
    /// A network that has a name.
    package struct Preset: Sendable {
        package var name: String
        /// What it is like, for people.
        package var summary: String
        package var profile: NetworkProfile
    }

    /// Of a name; nil where there is none.
    package static func preset(_ name: String) -> NetworkProfile? { presets.first { $0.name == name }?.profile }

    /// The networks that have names. docs/netem.md tables them.
    package static let presets: [Preset] = [
        Preset(name: "wifi-good", summary: "a home network beside its access point", profile: wifiGood),
        Preset(name: "wifi-bad", summary: "two walls and the neighbours' networks", profile: wifiBad),
        Preset(name: "4g", summary: "a phone in a city", profile: fourG),
        Preset(name: "3g", summary: "a phone in the country", profile: threeG),
        Preset(
            name: "train", summary: "4g on the move: cells, handovers, a tunnel of 4 s every two minutes",
            profile: train),
        Preset(name: "satellite", summary: "a geostationary satellite", profile: satellite),
        Preset(
            name: "congested-uplink", summary: "a fast line whose uplink somebody else fills", profile: congestedUplink),
    ]

    private static let wifiGood = make { link, _ in
        (link.delay, link.jitter, link.loss, link.rate) = (3, 3, 0.05, 40_000)
    }

    private static let wifiBad = make { link, isUp in
        (link.delay, link.jitter) = (10, 40)
        (link.loss, link.burst) = (3, 25)
        (link.reorder, link.duplicate) = (0.5, 0.1)
        (link.rate, link.queue) = (isUp ? 2_000 : 4_000, 300)
    }

    private static let fourG = make { link, isUp in
        (link.delay, link.jitter, link.loss) = (35, 10, 0.1)
        (link.rate, link.queue) = (isUp ? 6_000 : 12_000, 300)
    }

    private static let threeG = make { link, isUp in
        (link.delay, link.jitter) = (100, 30)
        (link.loss, link.burst) = (0.5, 60)
        (link.rate, link.queue) = (isUp ? 768 : 1_600, 500)
    }

    private static let satellite = make { link, isUp in
        (link.delay, link.jitter) = (280, 15)
        (link.loss, link.burst) = (0.5, 80)
        (link.rate, link.queue) = (isUp ? 3_000 : 20_000, 400)
    }

    private static let congestedUplink = make { link, isUp in
        (link.delay, link.jitter) = (15, 3)
        (link.rate, link.queue) = (isUp ? 500 : 20_000, isUp ? 600 : 200)
        guard isUp else { return }
        link.trace = content([
            (0, 700, 15, 0), (8, 400, 15, 0), (16, 300, 15, 0.5), (24, 550, 15, 0), (32, 350, 15, 0.5),
        ])
    }

    private static let train = make { link, isUp in
        (link.jitter, link.queue) = (40, 500)
        let share = isUp ? 0.25 : 1
        link.trace = content(
            [
                (0, 12_000, 40, 0.5), (20, 6_000, 60, 1), (35, 1_600, 110, 3), (49, 3_000, 80, 2),
                (60, 10_000, 45, 0.5),
                (85, 3_200, 80, 2), (95, 1_200, 150, 5), (104, 5_000, 70, 1), (112, 9_000, 50, 0.5),
            ].map { ($0.0, $0.1 * share, $0.2, $0.3) })
        let minutes = Interval.seconds(120)
        link.blackouts = [
            .init(start: .seconds(45), length: .seconds(4), period: minutes),
            .init(start: .seconds(20), length: .milliseconds(300), period: minutes),
            .init(start: .seconds(60), length: .milliseconds(300), period: minutes),
            .init(start: .seconds(85), length: .milliseconds(500), period: minutes),
        ]
    }

    private static func make(_ set: (inout LinkProfile, _ isUp: Bool) -> Void) -> NetworkProfile {
        var profile = NetworkProfile()
        set(&profile.up, true)
        set(&profile.down, false)
        return profile
    }

    /// From seconds, kbit/s, milliseconds and percent.
    private static func content(_ rows: [(Double, Double, Double, Double)]) -> NetworkTraceFile.Content {
        let points = rows.map {
            NetworkTrace.Point(
                start: .seconds($0.0), rate: Int($0.1 * 1000), delay: .seconds($0.2 / 1000), loss: $0.3 / 100)
        }
        return NetworkTraceFile.Content(points: NetworkTrace(points), deliveries: nil)
    }
}

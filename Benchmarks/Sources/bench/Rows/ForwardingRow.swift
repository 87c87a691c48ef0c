import RTCCore

/// P1: the server's CPU for each forwarded packet, against the C forwarder without segmentation offload.
enum ForwardingRow {
    @Sendable static func run(_ settings: BenchSettings) throws -> [Row] {
        var rows: [Row] = []
        for profile in SRTPProfile.preferred {
            for count in settings.sizes { rows += try compare(profile, count, settings) }
            if let count = settings.sizes.first { rows.append(try compareLarge(profile, count, settings)) }
        }
        return rows
    }

    /// Pictures of eight packets, as 1920x1080 has them: what leaves in one piece for one subscriber is long.
    private static func compareLarge(_ profile: SRTPProfile, _ count: Int, _ settings: BenchSettings) throws -> Row {
        let offloaded = try ForwardingScene(profile, subscribers: count, segmentation: true, packetsPerPicture: 8)
        let floor = try FloorRoom(profile, subscribers: count, packetsPerPicture: 8)
        let values = try alternate(
            rounds: settings.rounds,
            [{ try offloaded.window(seconds: settings.window) }, { try floor.window(seconds: settings.window) }])
        try offloaded.close()
        return .comparison(
            "P1", "8 packets a picture, \(count) subscribers, \(profile.short), GSO", ours: values[0],
            reference: values[1], limit: 1.0, format: { "\($0.fixed(2)) us" })
    }

    private static func compare(_ profile: SRTPProfile, _ count: Int, _ settings: BenchSettings) throws -> [Row] {
        let plain = try ForwardingScene(profile, subscribers: count, segmentation: false)
        let offloaded = try ForwardingScene(profile, subscribers: count, segmentation: true)
        let floor = try FloorRoom(profile, subscribers: count)
        let values = try alternate(
            rounds: settings.rounds,
            [
                { try plain.window(seconds: settings.window) }, { try floor.window(seconds: settings.window) },
                { try offloaded.window(seconds: settings.window) },
            ])
        try plain.close()
        try offloaded.close()
        let title = "forward a packet, \(count) subscribers, \(profile.short)"
        let format: (Double) -> String = { "\($0.fixed(2)) us" }
        return [
            .comparison("P1", title, ours: values[0], reference: values[1], limit: 1.5, format: format),
            .comparison("P1", title + ", GSO", ours: values[2], reference: values[1], limit: 1.5, format: format),
        ]
    }
}

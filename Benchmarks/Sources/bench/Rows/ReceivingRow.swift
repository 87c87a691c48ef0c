import RTCCore

/// P2: a load participant's CPU for each packet received and opened, against the C receiver.
enum ReceivingRow {
    @Sendable static func run(_ settings: BenchSettings) throws -> [Row] {
        var rows: [Row] = []
        for profile in SRTPProfile.preferred {
            for count in settings.sizes {
                let fleet = try AgentFleet(profile, agents: count)
                let floor = try FloorFleet(profile, agents: count)
                let seconds = settings.window * 0.7
                let values = try alternate(
                    rounds: settings.rounds,
                    [{ try fleet.window(seconds: seconds) }, { try floor.window(seconds: seconds) }])
                try fleet.close()
                rows.append(
                    .comparison(
                        "P2", "receive and open a packet, \(count) participants, \(profile.short)", ours: values[0],
                        reference: values[1], limit: 1.5, format: { "\($0.fixed(2)) us" }))
            }
        }
        return rows
    }
}

/// Reads `networks`.
struct NetworkReader {
    let problems: ProblemList

    func read(_ file: MappingReader) -> [String: ScenarioNetwork] {
        var networks: [String: ScenarioNetwork] = [:]
        let entries = file.map("networks")
        if entries.count > ScenarioLimits.networks {
            file.complain("networks", "there are \(entries.count) networks; \(ScenarioLimits.networks) at most")
        }
        for entry in entries {
            if let reader = MappingReader(entry.value, ScenarioKeys.network, problems) {
                networks[entry.key] = read(reader)
            }
        }
        return networks
    }

    private func read(_ reader: MappingReader) -> ScenarioNetwork {
        var network = ScenarioNetwork()
        if let text = reader.text("profile") {
            network.profile = ScenarioProfile(text: text, position: reader.position(of: "profile"))
            for key in reader.table.names where key != "profile" && reader.has(key) {
                reader.complain(key, "\(key) does not go beside profile; write it in its text, after a comma")
            }
            return network
        }
        network.loss = reader.number("loss") ?? 0
        network.burstMs = time("burst", to: 60_000, reader)
        network.delayMs = time("delay", to: 10_000, reader)
        network.jitterMs = time("jitter", to: 10_000, reader)
        network.reorder = reader.number("reorder") ?? 0
        network.duplicate = reader.number("duplicate") ?? 0
        network.rateKbps = reader.integer("rate") ?? 0
        if reader.has("queue") { network.queueMs = time("queue", to: 10_000, reader) }
        if network.burstMs > 0, network.loss <= 0 || network.loss >= 100 {
            reader.complain("burst", "burst shapes losses: give a loss above 0 and below 100, or leave it out")
        }
        return network
    }

    private func time(_ key: String, to limit: Int, _ reader: MappingReader) -> Int {
        guard let value = reader.duration(key) else { return 0 }
        if value <= limit { return value }
        reader.complain(key, "\(key): \(value) ms is too long; \(limit) ms at most")
        return 0
    }
}

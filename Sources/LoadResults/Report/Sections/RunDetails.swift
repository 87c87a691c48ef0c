/// Where and how it was run, so that it can be run again.
struct RunDetails {
    let results: LoadResults

    var html: String {
        let runs = results.shards ?? [results.run]
        let lists = runs.prefix(64).map(list).joined()
        let more = runs.count > 64 ? "<p class=\"note\">64 of \(runs.count) shards.</p>" : ""
        return ReportPage.section("The run", "run", "<div class=\"card\">\(lists)\(more)</div>\n")
    }

    private func list(_ run: RunHeader) -> String {
        let machine = run.machine
        let memory = MetricUnit.bytes.text(Double(machine.memoryBytes))
        var rows = [
            ("Command", "<code>\(Markup.escape(([run.tool] + run.arguments).joined(separator: " ")))</code>"),
            ("Machine", Markup.escape("\(machine.hostname): \(machine.cpuCount) x \(machine.cpuModel), \(memory)")),
            ("System", Markup.escape(machine.kernel)),
            ("Began", UTC.text(milliseconds: run.timestamp) + "Z"),
            ("Release", Markup.escape("\(run.tool) \(run.toolVersion)")),
        ]
        if let shard = run.shard { rows.append(("Shard", "\(shard.index) of \(shard.count)")) }
        return "<dl>\(rows.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" }.joined())</dl>\n"
    }
}

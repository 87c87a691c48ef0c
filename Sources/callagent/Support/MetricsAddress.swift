import ArgumentParser

/// Where `--metrics` listens: `9464`, `0.0.0.0:9464`, `[::]:9464`. Port 0 lets the system choose.
struct MetricsAddress: ExpressibleByArgument, Equatable {
    var host = "127.0.0.1"
    var port: Int

    init?(argument: String) {
        let colon = argument.lastIndex(of: ":")
        let digits = colon.map { argument[argument.index(after: $0)...] } ?? argument[...]
        guard let port = Int(digits), (0...65_535).contains(port), digits.allSatisfy(\.isNumber) else { return nil }
        self.port = port
        guard let colon else { return }
        let host = argument[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard !host.isEmpty, isBracketed || !host.contains(":") else { return nil }
        self.host = isBracketed ? String(host.dropFirst().dropLast()) : String(host)
    }

    /// For people and collectors.
    func url(port: Int) -> String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/metrics" }
}

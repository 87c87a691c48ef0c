import CallServer
import Foundation
import RTCSim
import RTCTransport
import RTCWire
import TransportSecurity
import WebClient

/// A bad network until it is interrupted: relays, and signalling that leads to them.
struct NetemRun {
    struct Settings: Sendable {
        var profile = NetworkProfile()
        var isEachItsOwn = false
        var ways: [NetemWay] = []
        /// The server whose signalling is passed on; nil for datagrams alone.
        var server: WebAddress?
        var trust = TLSTrust.environment
        var host = "127.0.0.1"
        var port = 7890
        /// Seconds; nil until it is interrupted.
        var duration: Double?
        /// Seconds between two looks.
        var interval = 1.0
        var isJSON = false
    }

    let settings: Settings

    /// Returns whether the relays kept up. Throws `ExitStatus.Failure` where a port can't be had.
    func run() async throws -> Bool {
        let loop = try DatagramLoop(name: "netem")
        let clients = NetemClients(settings.profile, isEachItsOwn: settings.isEachItsOwn, on: loop)
        var proxy: NetemProxy?
        do {
            var ports: [String] = []
            for way in settings.ways {
                let address = try await clients.bind(way)
                ports.append("\(Self.text(address))=\(Self.text(way.target))")
            }
            proxy = try await listen(clients)
            announce(proxy?.port, ports)
        } catch {
            await clients.close()
            try? await loop.shutdownGracefully()
            throw error
        }
        let count = await watch(clients)
        await proxy?.close()
        await clients.close()
        try? await loop.shutdownGracefully()
        return count.overloaded == 0
    }

    private func listen(_ clients: NetemClients) async throws -> NetemProxy? {
        guard let server = settings.server else { return nil }
        let service = NetemProxy.Service(
            exchange: NetemExchange(address: server, trust: settings.trust), clients: clients, address: server,
            trust: settings.trust)
        do { return try await NetemProxy.listen(host: settings.host, port: settings.port, service) } catch {
            throw ExitStatus.Failure(
                status: .environment,
                message: "--listen \(settings.host):\(settings.port): \(WebDialer.reason(error)); choose another port, "
                    + "0 lets the system choose")
        }
    }

    private func announce(_ port: Int?, _ ports: [String]) {
        let name = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        let url = port.map { "ws://\(name):\($0)" }
        if settings.isJSON {
            var report = NetemReport(event: "listening")
            (report.url, report.udp) = (url, ports)
            report.network = NetworkConditionsReport(settings.profile)
            return JSONOutput.print(report)
        }
        if let url, let server = settings.server {
            StandardOutput.line("listening on \(url), which leads to \(server.authority); interrupt to stop")
        }
        for port in ports { StandardOutput.line("UDP \(port); interrupt to stop") }
        StandardOutput.line("network: \(settings.profile), traces left out; seed \(settings.profile.seed)")
    }

    /// Looks once an interval until the end, and reports.
    private func watch(_ clients: NetemClients) async -> NetemCount {
        let begun = MonotonicClock.now()
        let progress = Progress(isQuiet: settings.isJSON)
        var before: NetemCount?
        while Interruption.cause == nil {
            let elapsed = (MonotonicClock.now() - begun).seconds
            let left = settings.duration.map { $0 - elapsed } ?? .infinity
            guard left > 0 else { break }
            let pause = min(settings.interval, left)
            _ = try? await Interruption.unless { try await Task.sleep(for: .seconds(pause)) }
            guard Interruption.cause == nil else { break }
            let count = await clients.statistics(at: (MonotonicClock.now() - begun).seconds)
            if settings.isJSON {
                JSONOutput.print(NetemReport("second", after: (MonotonicClock.now() - begun).seconds, count))
            } else {
                progress.show(NetemText.line(count, before: before, seconds: settings.interval))
            }
            before = count
        }
        progress.end()
        let count = await clients.statistics(at: (MonotonicClock.now() - begun).seconds)
        if settings.isJSON {
            JSONOutput.print(NetemReport("report", after: (MonotonicClock.now() - begun).seconds, count))
        } else {
            StandardOutput.report(NetemText.report(count))
        }
        return count
    }

    static func text(_ address: TransportAddress) -> String {
        address.isIPv4 ? "\(address.host):\(address.port)" : "[\(address.host)]:\(address.port)"
    }
}

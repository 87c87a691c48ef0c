import Logging
import ServiceLifecycle

/// The parts of a running server as services of one group. They end in the reverse of the order in which they were added, each when
/// the one after it has ended.
struct ServedParts {
    private var parts: [ServiceGroupConfiguration.ServiceConfiguration] = []

    /// Adds a part that runs already.
    ///
    /// - Parameters:
    ///   - name: what the log calls it.
    ///   - end: completes and closes it.
    mutating func add(_ name: String, end: @escaping @Sendable () async -> Void) {
        parts.append(.init(service: Part(end: end), serviceName: name))
    }

    /// Returns when the run has been interrupted and every part has ended.
    func run() async throws {
        // Signals stay with `Interruption`: it knows the second one, a SIGHUP that reloads and a reader that has gone.
        let interruption = ServiceGroupConfiguration.ServiceConfiguration(
            service: Wait(), successTerminationBehavior: .gracefullyShutdownGroup, serviceName: "interruption")
        try await ServiceGroup(
            configuration: .init(services: parts + [interruption], logger: Logger(label: "callagent.serve"))
        ).run()
    }

    private struct Part: Service {
        let end: @Sendable () async -> Void

        func run() async throws {
            // Cancelled or asked to end: it is closed in either case.
            try? await gracefulShutdown()
            await end()
        }
    }

    private struct Wait: Service {
        func run() async throws { await Interruption.wait() }
    }
}

import CoreMetrics
import Foundation
import PrometheusMetrics
import Synchronization

/// What this process uses, by the names that Prometheus' own clients give it.
final class ProcessMetrics: Sendable {
    private let registry: PrometheusRegistry
    private let usedCPU = Mutex(0.0)

    init(_ registry: PrometheusRegistry) { self.registry = registry }

    func note() {
        let used = Resources.now.cpuSeconds
        let more = usedCPU.withLock { before in
            defer { before = max(before, used) }
            return used - before
        }
        FloatingPointCounter(label: "process_cpu_seconds", factory: registry).increment(by: more)
        if let resident = ProcessFiles.residentBytes() {
            Meter(label: "process_resident_memory_bytes", factory: registry).set(resident)
        }
        Meter(label: "process_open_fds", factory: registry).set(ProcessFiles.openDescriptors())
    }
}

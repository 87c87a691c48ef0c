import NIOCore
import RTCWire

/// Measures how late a timer of 10 ms runs on an event loop, beside whatever else the loop does.
///
/// Put on a loop that carries media, it tells how long that loop was kept from it; on a loop of its own, what the machine
/// left to a thread that asks for next to nothing.
package final class WakeProbe: Sendable {
    private let meter = WakeMeter(parent: nil)
    private let pump: PeriodicPump

    /// Begins to measure.
    package init(on loop: any EventLoop) {
        pump = PeriodicPump(loop: loop, interval: .milliseconds(10), meter: meter) { _, _ in }
        pump.start()
    }

    /// What was measured so far.
    package var lateness: WakeLateness { meter.lateness }

    /// What was measured since the last call.
    package func take() -> WakeLateness { meter.take() }

    /// Ends the measurement; `lateness` stays.
    package func stop() { pump.stop() }
}

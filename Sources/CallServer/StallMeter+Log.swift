import Logging
import RTCTransport

extension StallMeter {
    /// Says in the log what has held a loop for too long.
    convenience init(logger: Logger) {
        self.init { hold in
            logger.warning(
                "an event loop was held for long",
                metadata: [
                    "source": "\(hold.source.rawValue)", "kind": "\(hold.kind)",
                    "held": "\(Int(hold.held.milliseconds)) ms", "elapsed": "\(Int(hold.wall.milliseconds)) ms",
                ])
        }
    }
}

import RTCSim
import RTCWire

/// What fuzz targets do with one input: see `WireFuzzing`.
///
/// This folder is also a target of the package in Fuzz/.
package enum SimFuzzing {
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("network", { network($0) }), ("trace", { trace($0) }),
    ]

    /// What is read can be written, and reads the same again; a model takes it.
    package static func network(_ input: UnsafeRawBufferPointer) {
        do throws(NetworkProfileError) {
            let read = try NetworkProfile(parsing: String(decoding: input, as: UTF8.self)) { _ in tinyTrace }
            transmit(read)
            guard read.up.trace == nil, read.down.trace == nil else { return }
            let again = try? NetworkProfile(parsing: read.description)
            precondition(again == read)
        } catch { precondition(!error.description.isEmpty) }
    }

    /// Whatever a trace says, datagrams pass or don't, in bounded time.
    package static func trace(_ input: UnsafeRawBufferPointer) {
        do throws(NetworkTraceError) {
            let file = try NetworkTraceFile(parsing: Array(input))
            var profile = NetworkProfile()
            (profile.up.trace, profile.down.trace) = (file.up, file.down)
            transmit(profile)
        } catch { precondition(error.line > 0 && error.column > 0 && !error.description.isEmpty) }
    }

    private static let tinyTrace = Array("time rate\n0 100\n1 200\n".utf8)

    private static func transmit(_ profile: NetworkProfile) {
        for link in [profile.up, profile.down] {
            var model = NetworkModel(link.conditions, seed: profile.seed, origin: .zero)
            var last = Instant.zero
            for index in 0..<50 {
                let now = Instant.zero + .milliseconds(index * 97)
                let delivery = model.transmit(length: 1200, at: now)
                if let first = delivery.first {
                    precondition(first >= now)
                    if link.reorder == 0 { precondition(first >= last) }
                    last = max(last, first)
                }
            }
            let counted = model.statistics
            precondition(counted.offered == 50 && counted.lost + counted.overflowed <= 50)
        }
    }
}

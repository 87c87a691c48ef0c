import RTCWire

/// The time line that relays of one participant share, and their link where it is one for all of them.
// What is not constant is touched on the relays' loop only.
package final class RelayClock: @unchecked Sendable {
    let origin = MonotonicClock.now()
    let shared = RelayWeatherBox()

    package init() {}
}

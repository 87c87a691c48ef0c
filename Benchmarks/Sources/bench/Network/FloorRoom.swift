import CFloors
import RTCCore

/// The C forwarder with as many destinations as the room it is compared with.
final class FloorRoom {
    private struct Handle: @unchecked Sendable { var pointer: OpaquePointer }

    private let forwarder: Handle
    private let publisher: FloorPublisher
    private let socket: PlainSocket
    private let subscribers: [PlainSocket]
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)
    private var pattern: SendPattern

    init(_ profile: SRTPProfile, subscribers count: Int, packetsPerPicture: Int = 2) throws {
        pattern = SendPattern(packetsPerPicture: packetsPerPicture)
        publisher = FloorPublisher(profile)
        socket = try PlainSocket()
        subscribers = try (0..<count).map { _ in try PlainSocket() }
        let ports = subscribers.map(\.address.port)
        guard let pointer = floor_forwarder_make(profile.floor, FloorCipher.keys, ports, Int32(count)) else {
            throw BenchError("no memory for the forwarder")
        }
        forwarder = Handle(pointer: pointer)
    }

    deinit {
        floor_forwarder_free(forwarder.pointer)
        scratch.deallocate()
        pattern.free()
    }

    /// Microseconds of the forwarder's CPU for each packet that it sent.
    func window(seconds: Double) throws -> Double {
        let forwarder = forwarder
        let run = BackgroundRun("floor") { floor_forwarder_run(forwarder.pointer) }
        let port = floor_forwarder_port(forwarder.pointer)
        let sent = pattern.run(seconds: seconds, send: { publisher.send($0, from: socket, to: [port]) }, idle: drain)
        try SendPattern.settle(drain)
        withUnsafeBytes(of: UInt8(0)) { socket.send($0, port: port) }
        guard let tally = run.wait(), tally.failed == 0, tally.sent == sent * subscribers.count else {
            throw BenchError("the C forwarder failed")
        }
        return Double(tally.cpu_nanoseconds) / Double(tally.sent) / 1000
    }

    private func drain() {
        for subscriber in subscribers { while subscriber.receive(into: scratch) != nil {} }
    }
}

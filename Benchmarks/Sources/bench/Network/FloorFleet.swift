import CFloors
import RTCCore

/// The C receiver with as many sockets as the fleet it is compared with.
final class FloorFleet {
    private struct Handle: @unchecked Sendable { var pointer: OpaquePointer }

    private let receiver: Handle
    private let ports: [UInt16]
    private let publisher: FloorPublisher
    private let socket: PlainSocket
    private var pattern = SendPattern()

    init(_ profile: SRTPProfile, agents count: Int) throws {
        publisher = FloorPublisher(profile)
        socket = try PlainSocket()
        guard let pointer = floor_receiver_make(profile.floor, FloorCipher.keys, Int32(count)) else {
            throw BenchError("no memory for the receiver")
        }
        receiver = Handle(pointer: pointer)
        ports = (0..<count).map { floor_receiver_port(pointer, Int32($0)) }
    }

    deinit {
        floor_receiver_free(receiver.pointer)
        pattern.free()
    }

    /// Microseconds of the receiver's CPU for each packet that it opened.
    func window(seconds: Double) throws -> Double {
        let receiver = receiver
        let run = BackgroundRun("floor") { floor_receiver_run(receiver.pointer) }
        let sent = pattern.run(seconds: seconds, send: { publisher.send($0, from: socket, to: ports) }, idle: {})
        try SendPattern.settle {}
        withUnsafeBytes(of: UInt8(0)) { socket.send($0, port: ports[0]) }
        guard let tally = run.wait(), tally.failed == 0, Int(tally.received) * 100 > sent * ports.count * 98 else {
            throw BenchError("the C receiver failed")
        }
        return Double(tally.cpu_nanoseconds) / Double(tally.received) / 1000
    }
}

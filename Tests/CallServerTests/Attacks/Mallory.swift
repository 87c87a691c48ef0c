import LiveKitProtocol
import NIOCore
import NIOPosix
import RTCSim
import RTCTransport
import RTCWire

@testable import CallServer

/// A hostile participant with media, who publishes and receives a victim's film in room "wild", on a way of their own choice.
struct Mallory {
    static let sound: UInt32 = 0x3333
    static let film: UInt32 = 0x4444

    let caller: Caller
    /// Whose film is forwarded to them.
    let victim: Caller
    /// Their way to the server.
    let path: ImpairedPath
    private let filming: RepeatedTask

    static func join(_ server: CallServer) async throws -> Mallory {
        let victim = try await Caller.join(server, "victim", seed: 911, grant: { $0.room = "wild" })
        _ = try await victim.publish(.video, .camera, cid: "cam", ssrc: 0x5555)
        let filming = victim.media.film(ssrc: 0x5555)
        let path = ImpairedPath()
        let caller = try await Caller.join(
            server, "mallory", seed: 912, grant: { $0.room = "wild" }, path: { try await path.through($0) })
        _ = try await caller.publish(.audio, .microphone, cid: "mic", ssrc: sound)
        _ = try await caller.publish(.video, .camera, cid: "cam", ssrc: film)
        try await caller.media.openReliable()
        try await victim.media.openReliable()
        return Mallory(caller: caller, victim: victim, path: path, filming: filming)
    }

    /// The source of the film that comes to them, and its latest sequence number.
    func received() async -> (ssrc: UInt32, sequence: UInt16)? {
        for await packet in caller.media.packets where packet.payload.count >= 900 {
            return (packet.ssrc, packet.sequence)
        }
        return nil
    }

    func leave() async throws {
        filming.cancel()
        try await caller.media.close()
        try await victim.media.close()
        try await path.close()
    }
}

/// Packets that no honest client writes.
enum HostilePacket {
    /// Transport-wide feedback of `count` messages of `chunks` runs of 8,191 received packets each, 250 microseconds apart.
    static func runLengthFeedback(messages: Int = 38, chunks: Int = 8) -> [UInt8] {
        (0..<messages).flatMap { number -> [UInt8] in
            var bytes: [UInt8] = [0x8f, 205, 0, UInt8(4 + chunks / 2), 0, 0, 0, 1, 0, 0, 0, 2]
            bytes += [0, 0, 0xff, 0xff, 0, 0, 0, UInt8(truncatingIfNeeded: number)]
            for _ in 0..<chunks { bytes += [0x1f, 0xff] }
            return bytes
        }
    }

    /// A request for `count` packets from `first` on.
    static func nack(of ssrc: UInt32, from first: UInt16, count: Int) -> [UInt8] {
        let words = (count + 16) / 17
        var bytes: [UInt8] = [0x81, 205] + big(UInt16(2 + words)) + [0, 0, 0, 1] + big(ssrc)
        for word in 0..<words { bytes += big(first &+ UInt16(word * 17)) + [0xff, 0xff] }
        return bytes
    }

    /// A packet of a video stream, with a source of its own.
    static func video(ssrc: UInt32, sequence: UInt16) -> [UInt8] {
        [0x80, 96] + big(sequence) + big(UInt32(sequence) &* 3_000) + big(ssrc) + [0x90, 0x80, 0x01, 0x10]
            + [UInt8](repeating: 0, count: 60)
    }

    private static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

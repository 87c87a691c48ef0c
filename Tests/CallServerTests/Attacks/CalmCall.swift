import LiveKitProtocol
import NIOCore
import Testing

@testable import CallServer

/// A call of two in a room of its own, whose packets are counted: what happens in other rooms must cost it nothing.
struct CalmCall {
    private static let sound: UInt32 = 0x1111
    private static let film: UInt32 = 0x2222
    /// The last packet of the sound; it stands for the end of the count.
    private static let lastWord: [UInt8] = [0x78, 9, 9, 9]

    let ada: Caller
    let bob: Caller

    static func begin(on server: CallServer) async throws -> CalmCall {
        let ada = try await Caller.join(server, "ada", seed: 901, grant: { $0.room = "calm" })
        _ = try await ada.publish(.audio, .microphone, cid: "mic", ssrc: sound)
        _ = try await ada.publish(.video, .camera, cid: "cam", ssrc: film)
        let bob = try await Caller.join(server, "bob", seed: 902, grant: { $0.room = "calm" })
        #expect(bob.join.otherParticipants.first?.tracks.count == 2)
        return CalmCall(ada: ada, bob: bob)
    }

    /// What came of a stream.
    struct Delivery: CustomStringConvertible {
        var received = 0
        var missing = 0

        /// Sequence numbers as they came, within one turn of their circle.
        init(_ numbers: [UInt16]) {
            guard let first = numbers.first else { return }
            let offsets = Set(numbers.map { Int(Int16(bitPattern: $0 &- first)) })
            received = offsets.count
            missing = (offsets.max() ?? 0) - (offsets.min() ?? 0) + 1 - received
        }

        var description: String { "\(received) received, \(missing) missing" }
    }

    /// Sends 50 packets of sound and 50 of film a second, as far as the machine lets us, while `body` runs, and says what
    /// came of them at the other side.
    func deliveries(
        during body: () async throws -> Void
    ) async throws -> (sound: Delivery, film: Delivery, soundSent: Int) {
        let counting = Task { await count() }
        let sending = [ada.media.speak(ssrc: Self.sound), ada.media.film(ssrc: Self.film)]
        let failure = await Result { try await body() }
        for task in sending { task.cancel() }
        try await ada.media.send(ssrc: Self.sound, timestamp: 1 << 31, Self.lastWord)
        let numbers = await counting.value
        try failure.get()
        let sent = try await ada.media.sentPackets(ssrc: Self.sound)
        return (Delivery(numbers.sound), Delivery(numbers.film), sent)
    }

    /// By payload: sound is of four bytes, pictures of a thousand, and a filler of neither.
    private func count() async -> (sound: [UInt16], film: [UInt16]) {
        var sound: [UInt16] = []
        var film: [UInt16] = []
        for await packet in bob.media.packets {
            if packet.payload.count == 4 { sound.append(packet.sequence) }
            if packet.payload.count >= 900 { film.append(packet.sequence) }
            if packet.payload == Self.lastWord { break }
        }
        return (sound, film)
    }

    func end() async throws {
        try await ada.media.close()
        try await bob.media.close()
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

import RTCCore
import RTCWire

/// Seals the pattern's packets with the floor's key, as long as the server's own are.
final class FloorPublisher {
    private let cipher: FloorCipher
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)

    init(_ profile: SRTPProfile) { cipher = FloorCipher(profile, encrypts: true) }

    deinit { buffer.deallocate() }

    /// Sends one packet to each of `ports`, sealing it anew for each.
    func send(_ packet: SendPattern.Packet, from socket: PlainSocket, to ports: [UInt16]) {
        for port in ports {
            let length = cipher.seal(buffer, length: write(packet))
            socket.send(UnsafeRawBufferPointer(rebasing: buffer[..<length]), port: port)
        }
    }

    private func write(_ packet: SendPattern.Packet) -> Int {
        let isAudio = packet.kind == .audio
        let type = isAudio ? Streams.audioType : Streams.videoType
        buffer.storeBytes(of: 0x90, toByteOffset: 0, as: UInt8.self)
        buffer.storeBytes(of: type | (packet.marker ? 0x80 : 0), toByteOffset: 1, as: UInt8.self)
        buffer.storeBytes(of: packet.sequenceNumber.bigEndian, toByteOffset: 2, as: UInt16.self)
        buffer.storeBytes(of: packet.timestamp.bigEndian, toByteOffset: 4, as: UInt32.self)
        buffer.storeBytes(of: Streams.ssrc(packet.kind).bigEndian, toByteOffset: 8, as: UInt32.self)
        // An extension block of two words (RFC 8285): padding is as good as any.
        buffer.storeBytes(of: UInt32(0xbede_0002).bigEndian, toByteOffset: 12, as: UInt32.self)
        buffer.storeBytes(of: 0, toByteOffset: 16, as: UInt64.self)
        UnsafeMutableRawBufferPointer(rebasing: buffer[SendPattern.headerLength...]).copyMemory(from: packet.payload)
        return SendPattern.headerLength + packet.payload.count
    }
}

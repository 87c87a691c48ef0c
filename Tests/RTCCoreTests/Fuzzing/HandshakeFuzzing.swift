import RTCCore
import RTCWire

/// A handshake between two of ours that an input steers: it chooses the state in which the attack begins, and what is
/// sent into it. Traps where something doesn't hold for any input.
///
/// This folder is also a target of the package in Fuzz/.
package enum HandshakeFuzzing {
    /// Byte 0 chooses how many records are delivered first, byte 1 the cipher suite and the MTU; then come commands.
    package static func run(_ input: UnsafeRawBufferPointer, _ certificates: (DTLSCertificate, DTLSCertificate)) {
        guard input.count >= 2 else { return }
        var reader = FuzzCommands(rest: input.dropFirst(2))
        let suites = TLSCipherSuite.allCases.filter { $0.authentication == .ecdsa }
        guard
            let pair = try? FuzzedPair(
                certificates, suite: suites[Int(input[1]) % suites.count], mtu: input[1] & 0x80 == 0 ? 1200 : 300)
        else { preconditionFailure("no association") }
        pair.deliver(Int(input[0] % 20))
        for _ in 0..<64 {
            guard let command = reader.byte() else { break }
            perform(command, &reader, pair)
            pair.check()
        }
        pair.settle()
        pair.check()
    }

    private static func perform(_ command: UInt8, _ reader: inout FuzzCommands, _ pair: FuzzedPair) {
        let isToServer = command & 0x80 != 0
        switch command % 8 {
        case 0: pair.inject(reader.bytes(), toServer: isToServer)
        case 1, 2: pair.inject(record(&reader, isHandshake: command % 8 == 2), toServer: isToServer)
        case 3, 4:
            guard var genuine = pair.recorded(Int(reader.byte() ?? 0)) else { return }
            for _ in 0..<Int(command >> 4 & 3) + 1 {
                let position = Int(reader.byte() ?? 0) << 2 | Int(command >> 5 & 3)
                genuine.bytes[position % genuine.bytes.count] ^= reader.byte() ?? 1
            }
            if command % 8 == 4 { genuine.bytes.removeLast(Int(reader.byte() ?? 0) % genuine.bytes.count) }
            pair.inject(genuine.bytes, toServer: genuine.toServer != (command & 0x40 != 0))
        case 5: pair.advance(Interval.milliseconds(10 * Int(reader.byte() ?? 0)))
        case 6: pair.deliver(Int(reader.byte() ?? 0) % 8)
        default: pair.lose(Int(reader.byte() ?? 0) % 8)
        }
    }

    /// A record, or a handshake fragment, whose lengths are right.
    private static func record(_ reader: inout FuzzCommands, isHandshake: Bool) -> [UInt8] {
        let (kind, number) = (reader.byte() ?? 0, reader.byte() ?? 0)
        let types: [UInt8] = [0, 1, 2, 3, 11, 12, 13, 14, 15, 16, 20]
        var body = reader.bytes()
        if isHandshake {
            let length = [UInt8(0), UInt8(body.count >> 8), UInt8(body.count & 255)]
            body = [types[Int(kind) % types.count]] + length + [0, number % 8, 0, 0, 0] + length + body
        }
        let type = isHandshake ? 22 : 20 + kind % 4
        return [
            type, 0xfe, 0xfd, 0, kind >> 6 & 1, 0, 0, 0, 0, number, kind, UInt8(body.count >> 8),
            UInt8(body.count & 255),
        ]
            + body
    }
}

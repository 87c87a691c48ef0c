import RTCWire

extension WireFuzzing {
    /// A message of multicast DNS: what is read of it says the same once it is written again.
    package static func dns(_ input: UnsafeRawBufferPointer) {
        guard let message = try? DNSMessage(parsing: input.bytes) else { return }
        let records = message.answers + message.authorities + message.additionals
        precondition(message.questions.count + records.count <= DNSMessage.mostEntries)
        for name in message.questions.map(\.name) + records.map(\.name) {
            var bytes: [UInt8] = []
            name.append(to: &bytes)
            precondition(bytes.count <= 255 && name.labels.allSatisfy { (1...63).contains($0.count) })
        }
        // Without pointers it may be longer than a message can be.
        let copy = message.encoded
        guard copy.count <= DNSMessage.longest else { return }
        copy.withUnsafeBytes { copy in
            guard let again = try? DNSMessage(parsing: copy.bytes) else { preconditionFailure("unreadable copy") }
            precondition(again == message)
        }
    }
}

import RTCCore
import RTCWire

extension Consumer {
    /// Sends the latest packets again on the retransmission stream, unasked: real media in place of padding, to find out
    /// whether the way to the subscriber bears more.
    ///
    /// - Parameter count: how many packets, the newest ones.
    package func repeatLatest(_ count: Int) {
        guard let ssrc = configuration.rtxSSRC, let payloadType = configuration.rtxPayloadType, layer != nil else {
            return
        }
        for age in stride(from: Int64(count) - 1, through: 0, by: -1) {
            let sequence = UInt16(truncatingIfNeeded: munger.highest - age)
            guard let original = munger.original(of: sequence),
                var packet = original.layer.ring?.find(original.source, codec: producer.codec)
            else { continue }
            if packet.needsDependency(producer.codec) {
                var structure = original.layer.structure
                packet.readDependency(&structure)
            }
            let verdict = filter.judge(packet, of: original.layer, isNewest: false)
            guard verdict.isTaken else { continue }
            repeatPacket(packet, sequence, original.numbering, verdict, ssrc: ssrc, payloadType: payloadType)
        }
    }
}

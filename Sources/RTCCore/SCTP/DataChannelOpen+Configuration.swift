import RTCWire

extension DataChannelOpen {
    init(_ configuration: DataChannelConfiguration) {
        let reliability: Reliability
        let parameter: UInt32
        switch configuration.reliability {
        case .reliable: (reliability, parameter) = (.reliable, 0)
        case .maximumRetransmissions(let count): (reliability, parameter) = (.retransmissions, UInt32(count))
        case .maximumLifetime(let lifetime):
            (reliability, parameter) = (.lifetime, UInt32(clamping: lifetime.nanoseconds / 1_000_000))
        }
        self.init(
            reliability: reliability, isUnordered: !configuration.isOrdered, parameter: parameter,
            label: Array(configuration.label.utf8), protocolName: Array(configuration.protocolName.utf8))
    }

    /// Nil where a name is too long or no UTF-8.
    var configuration: DataChannelConfiguration? {
        guard label.count <= DataChannelConfiguration.maximumNameLength,
            protocolName.count <= DataChannelConfiguration.maximumNameLength,
            let label = String(validating: label, as: UTF8.self),
            let name = String(validating: protocolName, as: UTF8.self)
        else { return nil }
        let kind: DataChannelConfiguration.Reliability =
            switch reliability {
            case .reliable: .reliable
            case .retransmissions: .maximumRetransmissions(UInt16(clamping: parameter))
            case .lifetime: .maximumLifetime(.milliseconds(Int(parameter)))
            }
        return DataChannelConfiguration(
            label: label, protocolName: name, isOrdered: !isUnordered, reliability: kind)
    }
}

extension DataChannelProtocolID {
    static func of(isText: Bool, isEmpty: Bool) -> UInt32 {
        switch (isText, isEmpty) {
        case (true, false): text
        case (true, true): textEmpty
        case (false, false): binary
        case (false, true): binaryEmpty
        }
    }

    /// Nil for what is no message of an application.
    static func kind(_ value: UInt32) -> (isText: Bool, isEmpty: Bool)? {
        switch value {
        case text: (true, false)
        case textEmpty: (true, true)
        case binary: (false, false)
        case binaryEmpty: (false, true)
        default: nil
        }
    }
}

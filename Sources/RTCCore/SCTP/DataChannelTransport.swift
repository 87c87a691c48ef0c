import RTCWire

/// All data channels of one peer.
struct DataChannelTransport {
    private var channels: [UInt32: DataChannelConfiguration] = [:]
    private var nextID: UInt32 = 1
    private var remotePort: UInt16?
    private var maximumMessageSize = 0

    mutating func setRemote(port: UInt16, maximumMessageSize: Int) {
        remotePort = port
        self.maximumMessageSize = maximumMessageSize
    }

    mutating func open(_ configuration: DataChannelConfiguration) throws(DataChannelError) -> DataChannelID {
        let id = DataChannelID(rawValue: nextID)
        nextID &+= 1
        channels[id.rawValue] = configuration
        return id
    }
}

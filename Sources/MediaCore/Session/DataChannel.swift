import NIOCore
import RTCCore
import RTCWire

/// What a data channel is to be like.
public struct DataChannelOptions: Sendable, Hashable {
    /// The channel's name, at most 4,096 bytes; need not be unique.
    public var label: String
    /// Messages arrive in the order in which they were sent.
    public var isOrdered = true
    /// How often each part of a message is sent again at most, 0...65,535; `nil` for until it arrives.
    public var maximumRetransmissions: Int?
    /// How many milliseconds after being handed in a message is given up, 0...65,535. Not together with
    /// `maximumRetransmissions`.
    public var maximumLifetimeMilliseconds: Int?
    /// The stream that both sides agreed on elsewhere, 0...1023; `nil` announces the channel in-band.
    public var negotiatedID: Int?

    /// A reliable, ordered channel, announced in-band.
    public init(
        label: String, isOrdered: Bool = true, maximumRetransmissions: Int? = nil,
        maximumLifetimeMilliseconds: Int? = nil, negotiatedID: Int? = nil
    ) {
        self.label = label
        self.isOrdered = isOrdered
        self.maximumRetransmissions = maximumRetransmissions
        self.maximumLifetimeMilliseconds = maximumLifetimeMilliseconds
        self.negotiatedID = negotiatedID
    }

    /// The engine's own form; throws `SessionError` where a value is out of range.
    func configuration() throws -> DataChannelConfiguration {
        if let negotiatedID, !(0...1023).contains(negotiatedID) {
            throw SessionError("data channel \(label): stream \(negotiatedID) is not among 0...1023")
        }
        return DataChannelConfiguration(
            label: label, isOrdered: isOrdered, reliability: try reliability(),
            negotiatedID: negotiatedID.map { UInt16($0) })
    }

    private func reliability() throws -> DataChannelConfiguration.Reliability {
        switch (maximumRetransmissions, maximumLifetimeMilliseconds) {
        case (nil, nil): return .reliable
        case (let count?, nil):
            guard let value = UInt16(exactly: count) else {
                throw SessionError("data channel \(label): \(count) retransmissions are not among 0...65,535")
            }
            return .maximumRetransmissions(value)
        case (nil, let lifetime?):
            guard (0...65_535).contains(lifetime) else {
                throw SessionError("data channel \(label): a lifetime of \(lifetime) ms is not among 0...65,535")
            }
            return .maximumLifetime(.milliseconds(lifetime))
        default:
            throw SessionError("data channel \(label): give a number of retransmissions or a lifetime, not both")
        }
    }
}

/// A channel for messages beside the media of a session (RFC 8831).
public final class DataChannel: Sendable, Hashable {
    /// The channel's name, as its opener chose it.
    public let label: String
    /// The application protocol that its opener named; usually empty.
    public let protocolName: String
    /// Messages arrive in the order in which they were sent.
    public let isOrdered: Bool
    let id: DataChannelID
    private let session: SocketSession

    init(id: DataChannelID, configuration: DataChannelConfiguration, session: SocketSession) {
        self.id = id
        self.session = session
        label = configuration.label
        protocolName = configuration.protocolName
        isOrdered = configuration.isOrdered
    }

    /// Hands one message in, of 0 to 262,144 bytes or what the other side said it takes.
    ///
    /// Throws `SessionError` where the channel is not open, the message is too large, or too much waits to be sent.
    public func send(_ bytes: [UInt8], isText: Bool = false) async throws {
        let (session, id, label) = (self.session, self.id, self.label)
        try await session.eventLoop.submit {
            try session.perform { machine, now, out in
                try machine.sendMessage(bytes, isText: isText, on: id, label: label, now: now, into: out)
            }
        }.get()
    }

    /// The largest message that the other side takes, in bytes: its description says so (RFC 8841); 0 after the session.
    public func maximumMessageSize() async -> Int {
        let session = self.session
        return
            (try? await session.eventLoop.submit {
                session.flow == nil ? 0 : session.machine.peer.maximumMessageSize
            }.get()) ?? 0
    }

    /// Bytes that were handed in and have not left yet.
    public func bufferedAmount() async -> Int {
        let (session, id) = (self.session, self.id)
        return
            (try? await session.eventLoop.submit {
                session.flow == nil ? 0 : session.machine.peer.bufferedAmount(of: id)
            }.get()) ?? 0
    }

    /// Closes the channel once what was handed in has been sent; `MediaSessionEvent.dataChannelClosed` follows.
    public func close() async {
        let (session, id) = (self.session, self.id)
        try? await session.eventLoop.submit {
            try session.perform { machine, now, out in machine.closeDataChannel(id, now: now, into: out) }
        }.get()
    }

    /// The same channel of the same session.
    public static func == (a: DataChannel, b: DataChannel) -> Bool { a === b }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension MediaSession {
    /// Prepares a data channel. The first one puts an application section into the next offer, where none was
    /// negotiated; the channel is open when `MediaSessionEvent.dataChannelOpened` names it.
    ///
    /// Throws `SessionError` for options that contradict themselves or a stream that is taken.
    public func openDataChannel(_ options: DataChannelOptions) async throws -> DataChannel {
        try await onLoop { try $0.openDataChannel(options) }
    }

    /// Puts an application section into the next offer, for channels that are opened later.
    public func addDataSection() async throws { try await perform { machine, _, _ in machine.addDataSection() } }
}

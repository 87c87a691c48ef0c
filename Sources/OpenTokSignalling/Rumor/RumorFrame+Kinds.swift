/// The frames that there are, with their headers.
extension RumorFrame {
    private enum Name {
        static let connection = "uniqueId"
        static let disconnectAddress = "notifyDisconnectAddress"
        static let contentType = "Content-Type"
        static let transaction = "TRANSACTION-ID"
        static let from = "X-TB-FROM-ADDRESS"
        static let token = "X-TB-TOKEN-AUTH"
        static let status = "STATUS"
    }

    /// Bytes of a transaction's id.
    package static let longestTransaction = 128
    package static let raptorContentType = "application/x-raptor+v2"

    /// The first frame of a client, which chooses its connection id.
    package static func connect(connection: String, disconnectAddress: String) -> RumorFrame {
        RumorFrame(
            .connect,
            headers: [
                Header(Name.connection, connection), Header(Name.disconnectAddress, disconnectAddress),
            ])
    }

    package static func subscribe(_ topic: String) -> RumorFrame { RumorFrame(.subscribe, addresses: [topic]) }
    package static func unsubscribe(_ topic: String) -> RumorFrame { RumorFrame(.unsubscribe, addresses: [topic]) }
    package static let disconnect = RumorFrame(.disconnect)
    package static let ping = RumorFrame(.ping)
    package static let pong = RumorFrame(.pong)

    /// A message that its receiver acknowledges.
    ///
    /// - Parameters:
    ///   - transaction: an id that the sender has not used before, at most 128 bytes.
    ///   - token: the client's token, in its first message.
    package static func message(
        to address: String, from: String, transaction: String, token: String? = nil, payload: [UInt8]
    ) -> RumorFrame {
        var frame = RumorFrame(
            .message, addresses: [address],
            headers: [
                Header(Name.contentType, raptorContentType), Header(Name.transaction, transaction),
                Header(Name.from, from),
            ], payload: payload)
        if let token { frame.headers.append(Header(Name.token, token)) }
        return frame
    }

    /// What has come of a message: a status as HTTP has it, and perhaps a result.
    package static func status(_ status: Int, transaction: String, payload: [UInt8] = []) -> RumorFrame {
        RumorFrame(
            .status, headers: [Header(Name.transaction, transaction), Header(Name.status, String(status))],
            payload: payload)
    }

    package var transaction: String? { self[Name.transaction] }
    /// The sender's connection id, or the address of the server.
    package var from: String? { self[Name.from] }
    package var token: String? { self[Name.token] }
    package var connection: String? { self[Name.connection] }

    /// 100 to 599; nil where there is none.
    package var status: Int? { self[Name.status].flatMap { Int($0) }.flatMap { (100...599).contains($0) ? $0 : nil } }
}

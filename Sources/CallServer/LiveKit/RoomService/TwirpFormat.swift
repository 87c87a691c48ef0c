import LiveKitProtocol

/// How a request is written, and its answer in turn.
enum TwirpFormat: Sendable {
    case json
    case protobuf

    /// By the media type, whatever its parameters; nil for any other.
    init?(contentType: String?) {
        let type = (contentType ?? "").prefix { $0 != ";" }.lowercased()
        switch type.filter({ !$0.isWhitespace }) {
        case "application/json": self = .json
        case "application/protobuf": self = .protobuf
        default: return nil
        }
    }

    func read<Request: ProtocolMessage>(_ bytes: [UInt8]) throws(TwirpError) -> Request {
        switch self {
        case .json:
            // Both spellings of names are read, and unknown names passed over.
            guard let text = String(validating: bytes, as: UTF8.self), let request = try? Request(wireJSON: text)
            else { throw TwirpError(.malformed, "the json request could not be decoded") }
            return request
        case .protobuf:
            guard let request = try? Request(wireBytes: bytes) else {
                throw TwirpError(.malformed, "the protobuf request could not be decoded")
            }
            return request
        }
    }

    /// - Parameter shape: what JSON shows of the message, also where it holds the default.
    func write(_ message: some ProtocolMessage, _ shape: JSONShape) -> HTTPResponse {
        switch self {
        case .json: .json(shape.fill(message).utf8)
        case .protobuf: HTTPResponse(.ok, contentType: "application/protobuf", message.wireBytes)
        }
    }
}

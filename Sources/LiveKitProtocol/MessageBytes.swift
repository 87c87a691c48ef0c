package import SwiftProtobuf

extension Message {
    /// The binary wire form, as it travels in a WebSocket frame or on a data channel.
    package var wireBytes: [UInt8] { (try? serializedBytes()) ?? [] }

    /// Reads the binary wire form. Unknown fields and enum values of newer peers are kept. Throws `BinaryDecodingError`.
    package init(wireBytes: [UInt8]) throws { try self.init(serializedBytes: wireBytes) }

    /// The JSON form of protobuf (camelCase names), for clients that speak text frames.
    package var wireJSON: String { (try? jsonString()) ?? "{}" }

    /// Reads the JSON form; unknown fields are ignored. Throws `JSONDecodingError`.
    package init(wireJSON: String) throws {
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        try self.init(jsonString: wireJSON, options: options)
    }
}

package import SwiftProtobuf

/// Any message of the protocol.
package typealias ProtocolMessage = Message
/// The answer of methods that have none.
package typealias EmptyMessage = Google_Protobuf_Empty

extension Message {
    /// The binary wire form, as it travels in a WebSocket frame or on a data channel.
    package var wireBytes: [UInt8] { (try? serializedBytes()) ?? [] }

    /// Reads the binary wire form. Unknown fields and enum values of newer peers are kept. Throws `BinaryDecodingError`.
    package init(wireBytes: [UInt8]) throws { try self.init(serializedBytes: wireBytes) }

    /// Reads the binary wire form without what newer peers have added to it. Throws `BinaryDecodingError`.
    package init(knownBytes: [UInt8]) throws {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        try self.init(serializedBytes: knownBytes, options: options)
    }

    /// The JSON form of protobuf (camelCase names), for clients that speak text frames.
    package var wireJSON: String { (try? jsonString()) ?? "{}" }

    /// Reads the JSON form; unknown fields are ignored. Throws `JSONDecodingError`.
    package init(wireJSON: String) throws {
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        try self.init(jsonString: wireJSON, options: options)
    }

    /// The JSON form with the names of the .proto files (snake_case), as the room API answers; defaults are left out.
    package var wireSnakeJSON: [UInt8] {
        var options = JSONEncodingOptions()
        options.preserveProtoFieldNames = true
        return (try? jsonUTF8Bytes(options: options)) ?? []
    }
}

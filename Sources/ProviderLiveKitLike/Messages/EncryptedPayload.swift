import Foundation
import LiveKitProtocol

/// LiveKit's `EncryptedPacketPayload`: the content of a data packet that is encrypted end to end.
///
///     field of the payload:  1 user  3 chat_message  4 rpc_request  5 rpc_ack  6 rpc_response
///                            7 stream_header  8 stream_chunk  9 stream_trailer
///
/// One field with a length, as protobuf encodes it: tag (number << 3 | 2), length as varint, the message.
enum EncryptedPayload {
    /// The plain text of a packet's content; nil for content that is never encrypted.
    static func encode(_ value: Livekit_DataPacket.OneOf_Value) -> [UInt8]? {
        switch value {
        case .user(let message): field(1, message.wireBytes)
        case .chatMessage(let message): field(3, message.wireBytes)
        case .rpcRequest(let message): field(4, message.wireBytes)
        case .rpcAck(let message): field(5, message.wireBytes)
        case .rpcResponse(let message): field(6, message.wireBytes)
        case .streamHeader(let message): field(7, message.wireBytes)
        case .streamChunk(let message): field(8, message.wireBytes)
        case .streamTrailer(let message): field(9, message.wireBytes)
        default: nil
        }
    }

    /// The content of a packet that was decrypted; nil where it can't be read.
    static func decode(_ bytes: [UInt8]) -> Livekit_DataPacket.OneOf_Value? {
        var index = 0
        guard let tag = varint(bytes, &index), tag & 7 == 2, let length = varint(bytes, &index),
            length == UInt64(bytes.count - index)
        else { return nil }
        let content = Array(bytes[index...])
        switch tag >> 3 {
        case 1: return (try? Livekit_UserPacket(wireBytes: content)).map { .user($0) }
        case 3: return (try? Livekit_ChatMessage(wireBytes: content)).map { .chatMessage($0) }
        case 4: return (try? Livekit_RpcRequest(wireBytes: content)).map { .rpcRequest($0) }
        case 5: return (try? Livekit_RpcAck(wireBytes: content)).map { .rpcAck($0) }
        case 6: return (try? Livekit_RpcResponse(wireBytes: content)).map { .rpcResponse($0) }
        case 7: return (try? Livekit_DataStream.Header(wireBytes: content)).map { .streamHeader($0) }
        case 8: return (try? Livekit_DataStream.Chunk(wireBytes: content)).map { .streamChunk($0) }
        case 9: return (try? Livekit_DataStream.Trailer(wireBytes: content)).map { .streamTrailer($0) }
        default: return nil
        }
    }

    private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [number << 3 | 2]
        var length = UInt(content.count)
        while length > 0x7F {
            bytes.append(UInt8(length & 0x7F) | 0x80)
            length >>= 7
        }
        bytes.append(UInt8(length))
        return bytes + content
    }

    private static func varint(_ bytes: [UInt8], _ index: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

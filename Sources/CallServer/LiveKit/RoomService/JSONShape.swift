import Foundation
import LiveKitProtocol

/// The fields of a message, so that JSON can show those too that hold their default, as LiveKit's room API does: numbers
/// and enumerations their zero, strings and lists as empty, messages as null. 64-bit integers are strings.
struct JSONShape: Sendable {
    enum Field: Sendable {
        case string, bytes, number, long, bool, map
        /// The name of the value zero.
        case enumeration(String)
        case message(JSONShape)
        case list
        case messages(JSONShape)
    }

    /// By the name in the .proto file. Fields with explicit presence are not listed: they are shown where they are set.
    var fields: [String: Field]

    init(_ fields: [String: Field]) { self.fields = fields }

    /// The JSON of a message with all its fields.
    func fill(_ message: some ProtocolMessage) -> String {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(message.wireSnakeJSON)) else {
            return "{}"
        }
        return fill(value).text ?? "{}"
    }

    private func fill(_ value: JSONValue) -> JSONValue {
        guard case .object(var object) = value else { return value }
        for (name, field) in fields {
            switch (field, object[name]) {
            case (.message(let shape), let value?): object[name] = shape.fill(value)
            case (.messages(let shape), .array(let values)?): object[name] = .array(values.map(shape.fill))
            case (_, nil): object[name] = field.zero
            default: break
            }
        }
        return .object(object)
    }
}

extension JSONShape.Field {
    var zero: JSONValue {
        switch self {
        case .string, .bytes: .string("")
        case .number: .integer(0)
        case .long: .string("0")
        case .bool: .bool(false)
        case .map: .object([:])
        case .enumeration(let name): .string(name)
        case .message: .null
        case .list, .messages: .array([])
        }
    }
}

/// The messages that the room API answers with.
extension JSONShape {
    static let empty = JSONShape([:])
    static let codec = JSONShape(["mime": .string, "fmtp_line": .string])
    static let timedVersion = JSONShape(["unix_micro": .long, "ticks": .number])
    static let room = JSONShape([
        "sid": .string, "name": .string, "empty_timeout": .number, "departure_timeout": .number,
        "max_participants": .number, "creation_time": .long, "creation_time_ms": .long, "turn_password": .string,
        "enabled_codecs": .messages(codec), "metadata": .string, "num_participants": .number,
        "num_publishers": .number, "active_recording": .bool, "version": .message(timedVersion),
    ])
    static let videoLayer = JSONShape([
        "quality": .enumeration("LOW"), "width": .number, "height": .number, "bitrate": .number, "ssrc": .number,
        "spatial_layer": .number, "rid": .string, "repair_ssrc": .number,
    ])
    static let simulcastCodec = JSONShape([
        "mime_type": .string, "mid": .string, "cid": .string, "layers": .messages(videoLayer),
        "video_layer_mode": .enumeration("MODE_UNUSED"), "sdp_cid": .string,
    ])
    static let track = JSONShape([
        "sid": .string, "type": .enumeration("AUDIO"), "name": .string, "muted": .bool, "width": .number,
        "height": .number, "simulcast": .bool, "disable_dtx": .bool, "source": .enumeration("UNKNOWN"),
        "layers": .messages(videoLayer), "mime_type": .string, "mid": .string, "codecs": .messages(simulcastCodec),
        "stereo": .bool, "disable_red": .bool, "encryption": .enumeration("NONE"), "stream": .string,
        "version": .message(timedVersion), "audio_features": .list,
        "backup_codec_policy": .enumeration("PREFER_REGRESSION"), "packet_trailer_features": .list,
    ])
    static let permission = JSONShape([
        "can_subscribe": .bool, "can_publish": .bool, "can_publish_data": .bool, "can_publish_sources": .list,
        "hidden": .bool, "recorder": .bool, "can_update_metadata": .bool, "agent": .bool,
        "can_subscribe_metrics": .bool, "can_manage_agent_session": .bool,
    ])
    static let dataTrack = JSONShape([
        "pub_handle": .number, "sid": .string, "name": .string, "encryption": .enumeration("NONE"),
    ])
    static let participant = JSONShape([
        "sid": .string, "identity": .string, "state": .enumeration("JOINING"), "tracks": .messages(track),
        "metadata": .string, "joined_at": .long, "joined_at_ms": .long, "name": .string, "version": .number,
        "permission": .message(permission), "region": .string, "is_publisher": .bool,
        "kind": .enumeration("STANDARD"), "attributes": .map, "disconnect_reason": .enumeration("UNKNOWN_REASON"),
        "kind_details": .list, "data_tracks": .messages(dataTrack), "client_protocol": .number, "capabilities": .list,
    ])
    static let rooms = JSONShape(["rooms": .messages(room)])
    static let participants = JSONShape(["participants": .messages(participant)])
    static let mutedTrack = JSONShape(["track": .message(track)])
    static let rpc = JSONShape(["payload": .string])
}

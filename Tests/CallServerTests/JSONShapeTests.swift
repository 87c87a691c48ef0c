import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// The shapes against the .proto files: a field that is missing there or here fails.
@Suite struct JSONShapeTests {
    static let shapes: [(String, JSONShape)] = [
        ("Room", .room), ("Codec", .codec), ("ParticipantInfo", .participant), ("TrackInfo", .track),
        ("SimulcastCodecInfo", .simulcastCodec), ("VideoLayer", .videoLayer),
        ("ParticipantPermission", .permission), ("TimedVersion", .timedVersion), ("DataTrackInfo", .dataTrack),
        ("ListRoomsResponse", .rooms), ("ListParticipantsResponse", .participants),
        ("MuteRoomTrackResponse", .mutedTrack), ("PerformRpcResponse", .rpc),
    ]

    private static func source() throws -> String {
        let protos = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/LiveKitProtocol/Protos")
        return try ["models.proto", "room_service.proto"].map { name in
            try String(contentsOf: protos.appending(path: name), encoding: .utf8)
        }.joined(separator: "\n")
    }

    /// Name to type of a message's fields, without those of explicit presence.
    private static func fields(of message: String) throws -> [String: String] {
        var found: [String: String] = [:]
        var depth = 0
        for line in try source().split(separator: "\n") {
            let words = line.split(whereSeparator: { " ;".contains($0) }).map(String.init)
            if line == "message \(message) {" {
                depth = 1
            } else if depth > 0, line.hasSuffix("{") {
                depth += 1
            } else if depth > 0, line.hasSuffix("}") {
                depth -= 1
            } else if depth == 1, words.count >= 4, let equals = words.firstIndex(of: "="), equals >= 2,
                words[0] != "optional"
            {
                found[words[equals - 1]] = words[..<(equals - 1)].joined(separator: " ")
            }
        }
        return found
    }

    @Test(arguments: shapes.map(\.0))
    func shapesAreTheMessages(name: String) throws {
        let shape = try #require(Self.shapes.first { $0.0 == name }?.1)
        let fields = try Self.fields(of: name)
        #expect(!fields.isEmpty && Set(shape.fields.keys) == Set(fields.keys))
        for (field, type) in fields {
            guard let zero = shape.fields[field]?.zero else { continue }
            switch type {
            case "string", "bytes": #expect(zero == .string(""), "\(field)")
            case "int64", "uint64": #expect(zero == .string("0"), "\(field)")
            case "int32", "uint32": #expect(zero == .integer(0), "\(field)")
            case "bool": #expect(zero == .bool(false), "\(field)")
            case let type where type.hasPrefix("repeated"): #expect(zero == .array([]), "\(field)")
            case let type where type.hasPrefix("map"): #expect(zero == .object([:]), "\(field)")
            default: #expect(zero == .null || isName(zero), "\(field)")
            }
        }
    }

    private func isName(_ value: JSONValue) -> Bool {
        if case .string(let name) = value { name == name.uppercased() && !name.isEmpty } else { false }
    }

    @Test func valuesStayAndGapsAreFilledAtEveryDepth() throws {
        let info = Livekit_ParticipantInfo.with {
            $0.joinedAt = 7
            $0.tracks = [.with { $0.layers = [.with { $0.quality = .high }] }]
        }
        let text = JSONShape.participant.fill(info)
        #expect(text.contains(#""joined_at":"7""#) && text.contains(#""quality":"HIGH""#))
        #expect(text.contains(#""repair_ssrc":0"#) && text.contains(#""permission":null"#))
        let muted = JSONShape.mutedTrack.fill(Livekit_MuteRoomTrackResponse())
        #expect(muted == #"{"track":null}"#)
    }
}

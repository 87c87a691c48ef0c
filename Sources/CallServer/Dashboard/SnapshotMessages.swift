import Foundation

/// One moment of the server in the words of each who watches it: every room is written once. A value.
struct SnapshotMessages {
    private struct Publisher: Encodable {
        var identity: String
        var name: String
        var kinds: [String]
    }

    private struct Audience: Encodable {
        var room: String
        var publishers: [Publisher]
    }

    private let rooms: [(snapshot: RoomSnapshot, text: String)]
    private let names: [String]
    private let keys: [String]

    /// - Parameters:
    ///   - rooms: of all who watch; some may be among them twice.
    ///   - names: of all rooms, in order.
    ///   - keys: the server's API keys.
    init(_ rooms: [RoomSnapshot?], rooms names: [String], keys: [String]) {
        var seen: Set<String> = []
        self.rooms = rooms.compactMap(\.self).filter { seen.insert($0.name).inserted }.map { ($0, Self.json($0)) }
        self.names = names
        self.keys = keys
    }

    /// A JSON object of one line.
    func text(for scope: DashboardScope) -> String {
        switch scope {
        case .server(let key):
            let visible = names.filter { isVisible($0, to: key) }
            let listed = rooms.filter { isVisible($0.snapshot.name, to: key) }.sorted {
                $0.snapshot.name < $1.snapshot.name
            }
            return Self.message(listed.map(\.text), unlisted: visible.count - listed.count)
        case .room(let name):
            return Self.message(rooms.filter { $0.snapshot.name == name }.map(\.text), unlisted: 0)
        case .audience(let name): return Self.json(audience(of: name))
        }
    }

    /// A session of another project's is nothing to the key that asks.
    private func isVisible(_ room: String, to key: String) -> Bool {
        SessionRoomName(room)?.refusal(key: key, of: keys) != .foreign
    }

    private func audience(of name: String) -> Audience {
        let participants = rooms.first { $0.snapshot.name == name }?.snapshot.participants ?? []
        let publishers = participants.filter { !$0.isHidden && !$0.tracks.isEmpty }.map { participant in
            Publisher(
                identity: participant.identity, name: participant.name,
                kinds: Set(participant.tracks.map(\.kind)).sorted())
        }
        return Audience(room: name, publishers: publishers)
    }

    private static func message(_ rooms: [String], unlisted: Int) -> String {
        "{\"time\":\(WallClock.milliseconds),\"unlisted\":\(max(0, unlisted)),\"rooms\":[\(rooms.joined(separator: ","))]}"
    }

    private static func json(_ value: some Encodable) -> String {
        // Numbers that are not finite are the only fault that it could have: what counts nothing is 0.
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "0", negativeInfinity: "0", nan: "0")
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

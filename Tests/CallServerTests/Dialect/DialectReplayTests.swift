import Foundation
import LiveKitProtocol
import RTCWire
import RoomModel
import Testing

@testable import CallServer

/// What real clients said to a livekit-server is said to the dialect, and what it makes of that compared with what that server
/// answered (`Tests/Vectors/README.md`).
@Suite struct DialectReplayTests {
    @Test(arguments: ["chromium-v0", "chromium-v1", "python-v0", "python-v1"])
    func theServersMessagesAreTheRecordedOnes(_ name: String) throws {
        var replay = try DialectReplay(RecordedMessage.load(name))
        try replay.run()
        for kind in ["join", "trackPublished", "update", "pongResp"] {
            #expect(replay.compared[kind, default: 0] > 0, "\(kind) of \(name)")
        }
    }
}

/// One message of a recorded signalling socket; `Tests/Vectors/livekit-traces/make-traces` tells the format.
struct RecordedMessage {
    let direction: String
    let kind: String
    let json: String

    /// Of the first socket.
    static func load(_ name: String) throws -> [RecordedMessage] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Vectors/livekit-traces/\(name).jsonl")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            let value = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            guard value["socket"] as? Int == 1 else { return nil }
            let json = try JSONSerialization.data(withJSONObject: #require(value["json"]))
            return RecordedMessage(
                direction: try #require(value["dir"] as? String), kind: try #require(value["case"] as? String),
                json: String(decoding: json, as: UTF8.self))
        }
    }
}

/// Says a client's recorded messages to the dialect.
struct DialectReplay {
    private let messages: [RecordedMessage]
    private var room = DialectFixture()
    private var id = ""
    private var ticket = DialectFixture.ticket("alice")
    /// Our sids of the recorded ones.
    private var sids: [String: String] = [:]
    /// How many messages of each kind were the same.
    private(set) var compared: [String: Int] = [:]

    init(_ messages: [RecordedMessage]) { self.messages = messages }

    mutating func run() throws {
        for message in messages {
            switch message.direction {
            case "open": try open(message)
            case "out": try say(Livekit_SignalRequest(wireJSON: renamed(message.json)))
            case "in": try compare(message.kind, Livekit_SignalResponse(wireJSON: renamed(message.json)))
            default: break
            }
        }
    }

    /// With our sids in the place of the recorded ones.
    private func renamed(_ json: String) -> String {
        sids.reduce(json) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
    }

    private mutating func open(_ message: RecordedMessage) throws {
        guard message.kind == "joinRequest" else {
            let query = try #require(
                JSONSerialization.jsonObject(with: Data(message.json.utf8)) as? [String: String])
            ticket.isSingleConnection = false
            ticket.client.protocol = Int32(query["protocol"] ?? "") ?? 0
            ticket.client.clientProtocol = Int32(query["client_protocol"] ?? "") ?? 0
            return
        }
        ticket.client = try Livekit_JoinRequest(wireJSON: message.json).clientInfo
    }

    private mutating func say(_ request: Livekit_SignalRequest) { room.say(request, from: id) }

    private mutating func compare(_ kind: String, _ recorded: Livekit_SignalResponse) throws {
        switch recorded.message {
        case .join(let join): try compare(join)
        case .trackPublished(let answer): try compare(answer)
        case .update(let update): try compare(update)
        case .speakersChanged(let changed):
            guard changed.speakers.allSatisfy({ $0.sid == id }) else { return }
            tell(
                .speakers(changed.speakers.map { .init(participant: $0.sid, level: $0.level) }, to: id), recorded, kind)
        case .subscribedQualityUpdate(let update):
            let layer = update.subscribedQualities.count(where: \.enabled) - 1
            tell(.demand(track: update.trackSid, publisher: id, layer: layer), recorded, kind)
        case .trackSubscribed(let subscribed):
            tell(.heeded(track: subscribed.trackSid, publisher: id), recorded, kind)
        case .subscriptionPermissionUpdate(let update):
            let subscription = Subscription(
                subscriber: id, publisher: update.participantSid, track: update.trackSid)
            tell(.permission(subscription, isAllowed: update.allowed), recorded, kind)
        case .pongResp(let pong):
            let answer = try #require(room.drain(id).last { $0.message?.isPong == true })
            #expect(answer.pongResp.lastPingTimestamp == pong.lastPingTimestamp && answer.pongResp.timestamp == 9_000)
            compared[kind, default: 0] += 1
        default: break
        }
    }

    private mutating func tell(_ event: RoomEvent, _ recorded: Livekit_SignalResponse, _ kind: String) {
        _ = room.drain(id)
        room.tell(event)
        #expect(room.drain(id) == [recorded])
        compared[kind, default: 0] += 1
    }

    private mutating func compare(_ join: Livekit_JoinResponse) throws {
        room = DialectFixture(
            room: LiveKitRoomIdentity(
                name: join.room.name, sid: join.room.sid, createdAt: join.room.creationTimeMs))
        room.settings.emptyTimeout = Int(join.room.emptyTimeout)
        room.settings.departureTimeout = Int(join.room.departureTimeout)
        id = join.participant.sid
        ticket.claims.name = join.participant.name
        ticket.client.capabilities = join.participant.capabilities
        ticket.identity = join.participant.identity
        room.enter(id: id, ticket, joinedAt: join.participant.joinedAtMs)
        let own = try #require(room.drain(id).first).join
        #expect(own.participant == join.participant)
        #expect(own.room.withoutCounts == join.room.withoutCounts)
        #expect(own.enabledPublishCodecs == join.enabledPublishCodecs && own.fastPublish == join.fastPublish)
        #expect(own.subscriberPrimary == join.subscriberPrimary && own.serverVersion == join.serverVersion)
        #expect(own.pingInterval == join.pingInterval && own.pingTimeout == join.pingTimeout)
        #expect(own.serverInfo.protocol == join.serverInfo.protocol)
        compared["join", default: 0] += 1
    }

    private mutating func compare(_ answer: Livekit_TrackPublishedResponse) throws {
        let answers = room.dialect.tracks.announced(by: id)
        let own = try #require(answers.first { $0.cid == answer.cid })
        sids[answer.track.sid] = own.sid
        var info = answer.track
        info.sid = own.sid
        #expect(own.info == info)
        compared["trackPublished", default: 0] += 1
    }

    /// Where the record first shows a track as published it becomes so here.
    private mutating func compare(_ update: Livekit_ParticipantUpdate) throws {
        guard let recorded = update.participants.first(where: { $0.sid == id }) else { return }
        for info in recorded.tracks where room.dialect.tracks[info.sid] == nil {
            room.publish(info.sid, by: id) { $0 = info }
        }
        let own = try #require(room.machine.participant(id).map { room.dialect.info(of: $0) })
        // The record's updates may be older than what they cross on their way.
        guard own.tracks.map(\.sid).sorted() == recorded.tracks.map(\.sid).sorted() else { return }
        for info in recorded.tracks {
            var track = try #require(own.tracks.first { $0.sid == info.sid })
            track.version = info.version
            #expect(track.withoutSources == info.withoutSources)
        }
        compared["update", default: 0] += 1
    }
}

extension Livekit_SignalResponse.OneOf_Message {
    fileprivate var isPong: Bool { if case .pongResp = self { true } else { false } }
}

extension Livekit_TrackInfo {
    /// A livekit-server tells the sources of layers as they come.
    fileprivate var withoutSources: Livekit_TrackInfo {
        var info = self
        func clear(_ layers: inout [Livekit_VideoLayer]) {
            for index in layers.indices { (layers[index].ssrc, layers[index].repairSsrc) = (0, 0) }
        }
        clear(&info.layers)
        for index in info.codecs.indices { clear(&info.codecs[index].layers) }
        return info
    }
}

extension Livekit_Room {
    /// A livekit-server counts a newcomer a moment later.
    fileprivate var withoutCounts: Livekit_Room {
        var room = self
        (room.numParticipants, room.numPublishers) = (0, 0)
        return room
    }
}

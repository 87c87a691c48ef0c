import LiveKitProtocol
import RoomModel
import SFUCore

/// Bytes of what a newcomer is told of a room, and what each participant adds to them. A value.
///
/// Everything that a client may say of itself is bounded, and so is the sum: a join response that is longer than what
/// clients take would lock all newcomers out.
struct RoomDescription {
    private let limit: Int
    private var parts: [String: Int] = [:]
    private(set) var bytes = 0

    init(limit: Int) { self.limit = limit }

    /// Takes over what a participant, or the room itself, is described by; false, and nothing taken over, where that would
    /// be more than before and more than all may be.
    mutating func describe(_ id: String, _ size: Int) -> Bool {
        let before = parts[id] ?? 0
        guard size <= before || bytes - before + size <= limit else { return false }
        parts[id] = size
        bytes += size - before
        return true
    }

    mutating func remove(_ id: String) { bytes -= parts.removeValue(forKey: id) ?? 0 }
}

/// Somebody who wants to come in, as far as the bounds are concerned.
struct RoomNewcomer: Sendable {
    var identity: String
    /// Of a connection that only publishes: whose it is.
    var mainIdentity: String?
    /// Bytes that others would be told.
    var description: Int
}

/// Upper bounds of what messages say of a participant or a track, in protobuf and in JSON alike.
enum DescriptionSize {
    /// Ids, times, permissions and the names of fields.
    private static let ofParticipant = 512
    private static let ofTrack = 768
    private static let ofLayer = 160

    static func participant(
        identity: String, name: String, metadata: String, attributes: [String: String]
    ) -> Int {
        ofParticipant + text(identity) + text(name) + text(metadata)
            + attributes.reduce(0) { $0 + text($1.key) + text($1.value) + 8 }
    }

    static func track(_ info: Livekit_TrackInfo) -> Int {
        var size = ofTrack + text(info.name) + text(info.stream) + info.layers.count * ofLayer
        for codec in info.codecs { size += ofLayer + text(codec.cid) + codec.layers.count * ofLayer }
        return size
    }

    /// As JSON writes it: control characters take six bytes.
    static func text(_ text: String) -> Int {
        text.utf8.reduce(0) { $0 + ($1 < 0x20 || $1 == 0x7f ? 6 : $1 == 0x22 || $1 == 0x5c ? 2 : 1) }
    }
}

extension LiveKitRoom {
    /// Whether the room may be described so, with this participant as `record` says and one track more; noted where it may.
    func describes(
        _ record: RoomParticipant, _ participant: LiveKitParticipant, adding track: Livekit_TrackInfo? = nil
    ) -> Bool {
        var size = DescriptionSize.participant(
            identity: record.identity, name: record.name, metadata: record.metadata, attributes: record.attributes)
        for published in record.tracks { size += tracks[published.id].map { DescriptionSize.track($0.info) } ?? 0 }
        for pending in participant.pendingTracks { size += DescriptionSize.track(pending.info) }
        if let track { size += DescriptionSize.track(track) }
        return note { $0.describe(record.id, size) }
    }

    /// The same for the room's own metadata.
    func describes(metadata: String) -> Bool { note { $0.describe(sid, DescriptionSize.text(metadata)) } }

    /// What a participant is described by has become less.
    func settleDescription(of sid: String) {
        guard let record = model.participant(sid), let participant = participants[sid] else {
            return note { $0.remove(sid) }
        }
        _ = describes(record, participant)
    }

    private func note<Result>(_ change: (inout RoomDescription) -> Result) -> Result {
        let before = description.bytes
        defer { if description.bytes != before { directory.note(description: description.bytes, of: self) } }
        return change(&description)
    }
}

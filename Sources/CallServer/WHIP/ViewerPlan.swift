import RTCCore
import RoomModel

/// Which tracks a viewer's lines carry. Its lines were agreed on once and stay; what they carry follows the room.
///
/// Everything comes from one participant, so that sound and pictures belong together: the one who is asked for, or whoever
/// publishes first, for as long as there is something of that one.
struct ViewerPlan {
    struct Slot: Hashable {
        let kind: StreamKind
        var track: String?
    }

    /// What has become different.
    struct Change: Hashable {
        var dropped: [String] = []
        var wanted: [String] = []
    }

    /// The identity that is asked for.
    private let subject: String?
    /// The participant whose tracks these are.
    private(set) var followed: String?
    /// In the order of the lines.
    private(set) var slots: [Slot]

    init(kinds: [StreamKind], subject: String?) {
        self.subject = subject
        slots = kinds.map { Slot(kind: $0) }
    }

    func slot(of track: String) -> Int? { slots.firstIndex { $0.track == track } }

    /// Takes in who is there.
    mutating func update(_ participants: [RoomParticipant]) -> Change {
        let seen = participants.filter { !$0.permissions.isHidden && $0.isPublisher }
        let chosen = choose(seen)
        followed = chosen?.id
        var next = slots
        for kind in [StreamKind.audio, .video] {
            let tracks = Self.ordered(chosen?.tracks.filter { $0.kind == kind } ?? [])
            for (position, index) in next.indices.filter({ next[$0].kind == kind }).enumerated() {
                next[index].track = position < tracks.count ? tracks[position].id : nil
            }
        }
        let (before, after) = (slots.compactMap(\.track), next.compactMap(\.track))
        slots = next
        return Change(
            dropped: before.filter { !after.contains($0) }, wanted: after.filter { !before.contains($0) })
    }

    private func choose(_ publishers: [RoomParticipant]) -> RoomParticipant? {
        if let subject { return publishers.first { $0.identity == subject } }
        // Of equals the first.
        return publishers.first { $0.id == followed } ?? publishers.max { kinds(of: $0) < kinds(of: $1) }
    }

    /// How many of the wanted kinds somebody publishes.
    private func kinds(of publisher: RoomParticipant) -> Int {
        Set(slots.map(\.kind)).intersection(publisher.tracks.map(\.kind)).count
    }

    /// A camera before a screen, in the order of publication otherwise.
    private static func ordered(_ tracks: [PublishedTrack]) -> [PublishedTrack] {
        let isMain = { (track: PublishedTrack) in track.source == .camera || track.source == .microphone }
        return tracks.filter(isMain) + tracks.filter { !isMain($0) }
    }
}

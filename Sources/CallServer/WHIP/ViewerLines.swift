import RTCCore
import RTCWire
import RoomModel

/// A viewer's lines with what they carry. Sources and numbers of a line stay the same whoever is seen in it, because nobody
/// could tell the viewer of others: only it may offer.
// Touched on its room's event loop only.
final class ViewerLines {
    private struct Line {
        let index: Int
        let description: SendDescription
        var send: OutgoingTrack?
    }

    var plan: ViewerPlan
    private var lines: [Line] = []
    private let connection: MediaConnection

    /// Gives every line that the viewer's open offer receives on a source of ours; the answer says them.
    init(_ connection: MediaConnection, cname: String, subject: String?) {
        self.connection = connection
        var kinds: [StreamKind] = []
        for line in connection.negotiator.lines where line.isIdle && !line.codecs.isEmpty {
            guard let kind = line.streamKind else { continue }
            kinds.append(kind)
            let description = SendDescription(
                streamID: "room", trackID: "\(kind == .video ? "video" : "audio")-\(line.index)",
                ssrc: .random(in: 1 ... .max), rtxSSRC: kind == .video ? .random(in: 1 ... .max) : nil, cname: cname)
            connection.negotiator.setSend(line.index, description)
            lines.append(Line(index: line.index, description: description))
        }
        plan = ViewerPlan(kinds: kinds, subject: subject)
    }

    /// Has a track come in its line; false where the viewer can't take it.
    func begin(_ track: String, in room: Room, now: Instant) -> Bool {
        guard let slot = plan.slot(of: track),
            let next = room.outgoingTrack(track, stream: lines[slot].description.streamID)
        else { return true }
        guard connection.negotiator.lines[lines[slot].index].counterpart(of: next.format.codec) != nil else {
            return false
        }
        guard let send = lines[slot].send else {
            next.take(lines[slot].description, line: lines[slot].index)
            lines[slot].send = next
            connection.add(next)
            connection.applyLines(now: now)
            return true
        }
        if send.consumer == nil {
            send.follow(next)
            connection.applyLines(now: now)
        } else if !connection.redirect(send, to: next, now: now) {
            return false
        }
        send.set(paused: false, layerLimit: TrackPreference.largestLayer, now: now)
        return true
    }

    /// Nothing more comes of a track; the line waits for another one.
    func end(_ track: String, now: Instant) {
        let send = lines.lazy.compactMap(\.send).first { $0.trackID == track }
        send?.set(paused: true, layerLimit: TrackPreference.largestLayer, now: now)
    }
}

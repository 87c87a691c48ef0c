import RTCCore
import RTCWire

/// Video that has to reach its client under another source.
///
/// libwebrtc makes the receivers of all video anew when an offer of its own changes a codec's parameters, as LiveKit's
/// clients do to say how fast a camera they publish is to begin. A packet that comes meanwhile belongs to nobody; it is
/// taken for a stream without a line, and leaves the receiver of that source without a place for its pictures, for good:
/// packets are decoded and none is shown. By a source that is new the client sets its receiver up again. It costs nothing
/// besides, for receivers made anew wait for a key frame anyway.
extension MediaConnection {
    /// What the client has said of a codec it takes.
    struct ReceivedCodec: Hashable {
        var payloadType: UInt8
        var name: String
        var parameters: SDPFormatParameters
        var rtxPayloadType: UInt8?
    }

    /// The codecs in which the client takes the video that it is sent, by line; their order makes no difference.
    var receivers: [Int: Set<ReceivedCodec>] {
        var result: [Int: Set<ReceivedCodec>] = [:]
        for send in sends where send.consumer != nil && send.kind == .video {
            guard let index = send.line, let codecs = negotiator.lines[index].remote?.codecs else { continue }
            result[index] = Set(
                codecs.map {
                    ReceivedCodec(
                        payloadType: $0.payloadType, name: $0.name, parameters: $0.parameters,
                        rtxPayloadType: $0.rtxPayloadType)
                })
        }
        return result
    }

    /// Gives new sources to the video whose receivers an offer has changed; the answer says them.
    func renewSends(where old: [Int: Set<ReceivedCodec>]) {
        let new = receivers
        for send in sends {
            guard let index = send.line, let before = old[index], let after = new[index], before != after,
                negotiator.lines[index].state == .active
            else { continue }
            endStream(of: send)
            send.renewSources()
            negotiator.setSend(index, send.description)
            logger.debug("receiver made anew", metadata: ["track": "\(send.trackID)"])
        }
    }
}

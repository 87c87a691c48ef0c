import Foundation

/// A field in which our client need not be as the recorded one.
struct TraceFreedom {
    /// The beginning of its path, without the indices of lists.
    let path: String
    /// Only in traces whose name begins so.
    var trace = ""
    /// The recorded client leaves it out, and ours says it.
    var isOurs = false
    let reason: String

    /// Everything that is left out. Whatever is not here has to be equal.
    static let all: [TraceFreedom] = [
        .init(path: "joinRequest.clientInfo.sdk", reason: "names the client"),
        .init(path: "joinRequest.clientInfo.version", reason: "names the client"),
        .init(path: "joinRequest.clientInfo.os", reason: "names the machine"),
        .init(path: "joinRequest.clientInfo.deviceModel", reason: "names the machine"),
        .init(path: "joinRequest.clientInfo.clientProtocol", reason: "calls between clients, another protocol"),
        .init(path: "joinRequest.clientInfo.capabilities", reason: "packet trailers and deflate are optional"),
        .init(
            path: "joinRequest.clientInfo.protocol", trace: "python", reason: "18 is announced by that client alone"),
        .init(
            path: "joinRequest.connectionSettings.subscriberAllowPause", isOurs: true,
            reason: "we let the server pause what the path can't carry"),
        .init(path: "joinRequest.publisherOffer.id", reason: "a running number"),
        .init(path: "query.sdk", reason: "names the client"),
        .init(path: "query.version", reason: "names the client"),
        .init(path: "query.os", reason: "names the machine"),
        .init(path: "query.device_model", reason: "names the machine"),
        .init(path: "query.client_protocol", reason: "calls between clients, another protocol"),
        .init(path: "query.capabilities", reason: "packet trailers and deflate are optional"),
        .init(path: "query.protocol", trace: "python", reason: "18 is announced by that client alone"),
        .init(
            path: "query.subscriber_allow_pause", isOurs: true,
            reason: "we let the server pause what the path can't carry"),
        .init(
            path: "query.adaptive_stream", trace: "chromium", isOurs: true,
            reason: "0 means the same as leaving it out"),
        .init(path: "offer.id", reason: "a running number"),
        .init(
            path: "answer.id", trace: "python", isOurs: true,
            reason: "that client does not say which offer it answers"),
        .init(path: "trickle.candidateInit.candidate", reason: "an address of the machine"),
        .init(path: "trickle.candidateInit.usernameFragment", reason: "a random ICE credential"),
        .init(path: "pingReq.timestamp", reason: "the time"),
        .init(path: "addTrack.audioFeatures", trace: "chromium", reason: "that microphone is a stereo one"),
        .init(
            path: "addTrack.simulcastCodecs.layers", trace: "chromium", isOurs: true,
            reason: "that client says the layers once; the other one twice, as we do"),
        .init(path: "syncState.dataChannels", reason: "stream ids depend on the order in which channels were opened"),
        .init(path: "syncState.offer.id", isOurs: true, reason: "a running number"),
        .init(path: "syncState.answer.id", isOurs: true, reason: "a running number"),
    ]

    func covers(_ path: String, trace: String) -> Bool {
        let bare = path.replacing(/\[\d+\]/, with: "")
        return trace.hasPrefix(self.trace) && (bare == self.path || bare.hasPrefix(self.path + ".") || isFamily(bare))
    }

    /// `os` stands for `os_version` and `osVersion` as well.
    private func isFamily(_ bare: String) -> Bool { path.hasSuffix(".os") && bare.hasPrefix(path) }
}

/// Two messages of one kind, field by field.
struct TraceComparison {
    let trace: String
    /// The order of simulcast layers is the client's own.
    let isLayerOrderFree: Bool

    /// A compared message.
    struct Result: CustomStringConvertible {
        let kind: String
        let line: Int
        let fields: Int
        let differences: [String]
        /// What was left out, by `TraceFreedom`.
        let ignored: [String]
        var description: String {
            "\(kind) (line \(line)): \(fields) fields"
                + (ignored.isEmpty ? "" : ", ignored: \(ignored.joined(separator: ", "))")
        }
    }

    func compare(_ ours: [String: Any], with recorded: TraceLine) -> Result {
        let (left, right) = (fields(ours, recorded.kind), fields(recorded.body, recorded.kind))
        let all = Set(left.keys).union(right.keys)
        let ignored = all.filter { path in TraceFreedom.all.contains { $0.covers(path, trace: trace) } }
        let paths = all.subtracting(ignored)
        let differences = paths.sorted().filter { left[$0] != right[$0] }.map { path in
            "\(path): ours \(left[path] ?? "nothing"), recorded \(right[path] ?? "nothing")"
        }
        // A message without any field of its own is compared by its kind.
        return Result(
            kind: recorded.kind, line: recorded.line, fields: max(1, paths.count), differences: differences,
            ignored: ignored.sorted())
    }

    func fields(_ value: Any, _ path: String) -> [String: String] {
        var result: [String: String] = [:]
        switch value {
        case let object as [String: Any]:
            for (key, value) in object { result.merge(field(key, value, path)) { $1 } }
        case let list as [Any]:
            let isLayers = isLayerOrderFree && path.hasSuffix("layers")
            for (index, item) in (isLayers ? sorted(list) : list).enumerated() {
                result.merge(fields(item, "\(path)[\(index)]")) { $1 }
            }
        default: result[path] = "\(value)"
        }
        return result
    }

    private func field(_ key: String, _ value: Any, _ path: String) -> [String: String] {
        switch (key, value) {
        case ("sdp", let sdp as String):
            TraceDescription(sdp).fields("\(path).sdp", isLayerOrderFree: isLayerOrderFree)
        case ("candidateInit", let text as String):
            fields((try? JSONSerialization.jsonObject(with: Data(text.utf8))) ?? text, "\(path).candidateInit")
        default: fields(value, "\(path).\(key)")
        }
    }

    private func sorted(_ layers: [Any]) -> [Any] {
        layers.sorted { left, right in
            let width = { (layer: Any) in (layer as? [String: Any])?["width"] as? Int ?? 0 }
            return width(left) < width(right)
        }
    }
}

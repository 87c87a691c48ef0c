import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore
import SwiftProtobuf

@testable import ProviderLiveKitLike

/// Feeds a recorded session to the machine, line by line, and compares what it says with what the recorded client said.
///
/// No socket, no media: offers are answered as they come, so that descriptions and candidates are left out. The rest
/// (tracks, muting, states, permissions, goodbyes) has to be equal; what a full client says stands in `TraceReplay`.
struct MachineReplay {
    /// Kinds that descriptions, candidates and time bring about.
    static let free: Set<String> = ["offer", "answer", "trickle", "pingReq"]

    let plan: TracePlan
    private let comparison: TraceComparison
    private var harness: MachineHarness?
    private var taken = 0
    /// The recorded id of a track of ours -> the one that it has here.
    private var cids: [String: String] = [:]
    private(set) var results: [TraceComparison.Result] = []

    init(_ plan: TracePlan) {
        self.plan = plan
        comparison = TraceComparison(trace: plan.name, isLayerOrderFree: plan.isLayerOrderFree)
    }

    /// What the application was told, in order.
    var events: [String] { harness?.events.map { MachineHarness.kind($0) } ?? [] }

    /// What the machine said and the recorded client did not.
    var leftovers: [String] { unread.map { MachineHarness.kind($0.message) } }

    mutating func run() throws {
        for line in try plan.lines() {
            for step in plan.steps[line.line] ?? [] { try perform(step) }
            switch line.direction {
            case .in: try say(line)
            case .out where !Self.free.contains(line.kind): try compare(line)
            case .open, .out, .close: break
            }
            settleOffers()
        }
    }

    private mutating func perform(_ step: TracePlan.Step) throws {
        switch step {
        case .publishMicrophone:
            var encoding = AudioEncoding()
            (encoding.red, encoding.dtx) = (true, true)
            let name = plan.name.hasPrefix("python") ? "tone" : "mic"
            harness?.ask(
                .publish(LocalTrack(.audio(ToneSource(frequency: 440), encoding), name: name), .microphone))
        case .publishCamera(let width, let height, let bitrate):
            let name = plan.name.hasPrefix("python") ? "pattern" : "cam"
            let source = try TestCardSource(sender: 1, width: width, height: height, frameRate: 1)
            let layers = VideoLayer.standard(width: width, height: height, bitrate: bitrate)
            let encoding = VideoEncoding(bitrate: bitrate, layers: layers)
            harness?.ask(.publish(LocalTrack(.video(source, encoding), name: name), .camera))
        case .muteMicrophone(let muted): ask(0) { .setMuted(muted, trackID: $0) }
        case .unpublishCamera: ask(1) { .unpublish(trackID: $0) }
        case .leave: harness?.take(.leave)
        case .dropSocket:
            // The server has got everything: nothing is said again.
            harness?.answerPing()
            let socket = harness?.socket ?? 0
            harness?.take(.socketClosed(socket))
        case .demandFullReconnect: harness?.say { $0.leave.action = .reconnect }
        case .await: break
        }
    }

    private mutating func ask(_ index: Int, _ command: (String) -> SignallingCommand) {
        guard let tracks = harness?.machine.localParticipant.tracks, tracks.count > index else { return }
        harness?.ask(command(tracks[index].id))
    }

    private mutating func say(_ line: TraceLine) throws {
        var recorded = line.message
        for (theirs, ours) in cids { recorded = try Self.renamed(recorded, theirs, ours) }
        let text = String(decoding: try JSONSerialization.data(withJSONObject: recorded), as: UTF8.self)
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        let message = try Livekit_SignalResponse(jsonString: text, options: options)
        switch message.message {
        case .join(let join) where harness == nil:
            var settings = SignallingSettings()
            // A recording has no time of its own.
            settings.timeouts.media = 1_000
            harness = MachineHarness(single: plan.mode == .singleConnection, settings: settings) { $0 = join }
            connect()
        case .join(let join):
            let joined = MachineHarness.joined(single: plan.mode == .singleConnection) { $0 = join }
            harness?.take(.joined(.success(joined)))
            connect()
        case .reconnect(let reconnect): harness?.take(.resumed(.success(reconnect)))
        // Offers of ours are answered as they come.
        case .answer: break
        default:
            let socket = harness?.socket ?? 0
            harness?.take(.message(message, socket: socket))
        }
    }

    private mutating func connect() {
        if plan.mode != .singleConnection { harness?.stateChanged(.connected, .subscriber) }
        harness?.stateChanged(.connected, .publisher)
    }

    private mutating func settleOffers() {
        while harness?.machine.negotiation.offers.isPending == true { harness?.answerOffer() }
    }

    // MARK: What the machine says

    private var unread: [Livekit_SignalRequest] {
        (harness?.sent ?? []).filter { !Self.free.contains(MachineHarness.kind($0.message)) }.dropFirst(taken).map(
            \.self)
    }

    private mutating func compare(_ line: TraceLine) throws {
        guard let ours = unread.first else { throw TraceError("line \(line.line): our \(line.kind) did not come") }
        taken += 1
        let object = try JSONSerialization.jsonObject(with: Data(try ours.jsonString().utf8)) as? [String: Any] ?? [:]
        guard var body = object[line.kind] as? [String: Any] else {
            throw TraceError("line \(line.line): \(line.kind) was expected, \(object.keys) came")
        }
        if line.kind == "addTrack", let cid = body["cid"] as? String, let recorded = line.body["cid"] as? String {
            cids[recorded] = cid
        }
        for (theirs, ours) in cids { body = try Self.renamed(body, ours, theirs) }
        results.append(comparison.compare(Self.undescribed(body), with: line.undescribed))
    }

    /// Without descriptions: there is no media.
    fileprivate static func undescribed(_ body: [String: Any]) -> [String: Any] {
        body.filter { $0.key != "offer" && $0.key != "answer" }
    }

    private static func renamed(_ object: [String: Any], _ old: String, _ new: String) throws -> [String: Any] {
        let data = try JSONSerialization.data(withJSONObject: object, options: .withoutEscapingSlashes)
        let text = String(decoding: data, as: UTF8.self).replacing(old, with: new)
        return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? object
    }
}

extension TraceLine {
    fileprivate var undescribed: TraceLine {
        TraceLine(
            line: line, direction: direction, kind: kind, message: [kind: MachineReplay.undescribed(body)])
    }
}

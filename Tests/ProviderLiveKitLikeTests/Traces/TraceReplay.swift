import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore
import SwiftProtobuf
import Synchronization

@testable import ProviderLiveKitLike

/// Plays a recorded server to our client, and compares what it says with what the recorded client said.
final class TraceReplay {
    let plan: TracePlan
    let comparison: TraceComparison
    private let socket: TraceSocket
    let engine = MediaEngine()
    private let bridge: CallBridge
    private var inbox: TraceInbox
    private let peers: TracePeers
    let events = TraceEvents()

    /// The recorded id of a track of ours -> the one that it has here.
    private var cids: [String: String] = [:]
    private var offer: Livekit_SessionDescription?
    private var joining: Task<Call, any Error>?
    private var publishing: [Task<[Track], any Error>] = []
    private var leaving: Task<Void, Never>?
    private var compared: Set<String> = []
    private var lastNumber = 0
    private(set) var results: [TraceComparison.Result] = []
    /// Messages that came earlier than in the recording.
    private(set) var misplaced: [String] = []

    init(_ plan: TracePlan) async throws {
        self.plan = plan
        comparison = TraceComparison(trace: plan.name, isLayerOrderFree: plan.isLayerOrderFree)
        socket = try await TraceSocket.start()
        let peers = TracePeers(engine)
        self.peers = peers
        inbox = TraceInbox(socket) { try await peers.note($0) }
        let descriptor = CallDescriptor(
            callId: "c", conversationId: "c", provider: .liveKit, serviceProviderCallId: "room",
            endpoint: "ws://127.0.0.1:\(socket.port)", credentials: .init(token: "the-first-token"))
        var timeouts = SessionTimeouts()
        // Other tests may keep every thread busy for seconds.
        (timeouts.socket, timeouts.join, timeouts.answer, timeouts.media) = (60, 60, 60, 60)
        let provider = LiveKitLikeProvider(mode: plan.mode, timeouts: timeouts, policy: .init())
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [ProviderRegistration(provider)])
        configuration.engine = engine
        configuration.media.bindAddress = "127.0.0.1"
        bridge = CallBridge(configuration: configuration)
    }

    /// Plays everything. What our client said and the recorded one did not is in `leftovers` afterwards.
    func run() async throws {
        let bridge = self.bridge
        joining = Task { try await bridge.join(conversation: "c") }
        let lines = try plan.lines()
        for (index, line) in lines.enumerated() {
            for step in plan.steps[line.line] ?? [] { try await perform(step) }
            try await play(line, ahead: lines[(index + 1)...])
            if line.kind == "join", line.direction == .in, !events.isAttached { await events.attach(try await call()) }
        }
        if leaving == nil { await events.reach(plan.heard) }
    }

    var leftovers: [String] {
        inbox.waiting.filter { !TracePlan.free.contains($0.kind) }.map(\.kind)
    }

    func stop() async {
        joining?.cancel()
        if leaving == nil, events.isAttached { try? await call().leave() }
        await bridge.shutdown()
        await leaving?.value
        await socket.stop()
        await peers.close()
        await engine.shutdown()
    }

    // MARK: The user

    private func call() async throws -> Call {
        guard let call = try await joining?.value else { throw TraceError("nobody has joined") }
        return call
    }

    private func perform(_ step: TracePlan.Step) async throws {
        let call = try await call()
        switch step {
        case .publishMicrophone:
            var encoding = AudioEncoding()
            (encoding.red, encoding.dtx) = (true, true)
            let name = plan.name.hasPrefix("python") ? "tone" : "mic"
            let media = LocalMedia.audio(name: name, encoding: encoding) { ToneSource(frequency: 440) }
            publishing.append(Task { try await call.publish(media) })
        case .publishCamera(let width, let height, let bitrate):
            let name = plan.name.hasPrefix("python") ? "pattern" : "cam"
            let media = LocalMedia.video(name: name, bitrate: bitrate, simulcast: true) {
                // What it shows matters to nobody.
                try TestCardSource(sender: 1, width: width, height: height, frameRate: 1)
            }
            publishing.append(Task { try await call.publish(media) })
        case .muteMicrophone(let muted): try await call.setMuted(muted, try await track(0))
        case .unpublishCamera: try await call.unpublish(try await track(1))
        case .leave:
            // Nobody hears what is said after the goodbye.
            await events.reach(plan.heard)
            leaving = Task { await call.leave() }
        case .dropSocket: socket.drop()
        case .demandFullReconnect:
            try await socket.send(.with { $0.leave.action = .reconnect })
        case .await(let kind): try await inbox.await(kind)
        }
    }

    private func track(_ index: Int) async throws -> Track {
        guard publishing.count > index, let track = try await publishing[index].value.first else {
            throw TraceError("the track \(index) is not published")
        }
        return track
    }

    // MARK: The wire

    private func play(_ line: TraceLine, ahead: ArraySlice<TraceLine>) async throws {
        switch line.direction {
        case .open: try await open(line)
        case .in: try await say(line)
        case .out where line.kind == "trickle" || line.kind == "pingReq": try await compareFirst(line)
        case .out where line.kind == "offer": try await takeOffer(line, ahead: ahead)
        case .out:
            let item = try await inbox.take(line.kind) { $0.kind == line.kind && Self.isSame($0.body, line.body) }
            if line.kind == "addTrack", let ours = item.body["cid"] as? String, let cid = line.body["cid"] as? String {
                cids[cid] = ours
            }
            if line.kind == "answer", let sdp = item.body["sdp"] as? String { try await peers.takeAnswer(sdp) }
            note(item, line)
        case .close where line.kind == "out": _ = try await inbox.take("close") { $0.kind == "close" }
        case .close: break
        }
    }

    /// Of two requests for tracks those belong together that ask for the same kind.
    private static func isSame(_ ours: [String: Any], _ recorded: [String: Any]) -> Bool {
        ours["type"] as? String == recorded["type"] as? String
    }

    private func open(_ line: TraceLine) async throws {
        guard case .opened(let request) = try await inbox.take("open", where: { $0.kind == "open" }).arrival else {
            return
        }
        let isResumed = line.message["reconnect"] as? Bool == true
        if !isResumed { try await peers.begin() }
        let isFirst = results.isEmpty
        var body: [String: Any] = request.query
        if line.kind == "joinRequest" {
            let join = try Self.joinRequest(request)
            body = try Self.object(join)
            if join.hasPublisherOffer { offer = join.publisherOffer }
        }
        results.append(comparison.compare(body, with: line))
        guard request.token == (isFirst ? "the-first-token" : "a-fresh-token") else {
            throw TraceError("line \(line.line): the token is \(request.token)")
        }
    }

    private static func joinRequest(_ request: ScriptedServer.Request) throws -> Livekit_JoinRequest {
        let base64 = (request.query["join_request"] ?? "").replacing("-", with: "+").replacing("_", with: "/")
        guard let data = Data(base64Encoded: base64) else { throw TraceError("the join request is no base64") }
        // An offer is worth compressing: like LiveKit's own clients we do.
        let wrapped = try Livekit_WrappedJoinRequest(serializedBytes: data)
        guard !wrapped.joinRequest.isEmpty, let join = SignalReading.joinRequest(wrapped: Array(data)) else {
            throw TraceError("the join request can't be read")
        }
        guard join.publisherOffer.sdp.isEmpty || wrapped.compression == .gzip else {
            throw TraceError("a join request with an offer is not compressed")
        }
        return join
    }

    private static func object(_ message: any SwiftProtobuf.Message) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(try message.jsonString().utf8)) as? [String: Any] ?? [:]
    }

    /// The first of a kind of which there may be any number.
    private func compareFirst(_ line: TraceLine) async throws {
        let target = line.body["target"] as? String
        guard compared.insert(line.kind + (target ?? "")).inserted else { return }
        let item = try await inbox.take(line.kind) {
            $0.kind == line.kind && $0.body["target"] as? String == target
        }
        note(item, line)
    }

    /// Takes the offer with as many sections as the recorded one; those on the way there are answered as well.
    private func takeOffer(_ line: TraceLine, ahead: ArraySlice<TraceLine>) async throws {
        let wanted = TraceDescription(line.body["sdp"] as? String ?? "").sections.count
        while true {
            let item = try await inbox.take("offer") { $0.kind == "offer" }
            guard case .said(let message) = item.arrival else { continue }
            offer = message.offer
            let isComplete = TraceDescription(message.offer.sdp).sections.count >= wanted
            if isComplete { return note(item, line) }
            guard let answer = ahead.first(where: { $0.direction == .in && $0.kind == "answer" }) else { return }
            try await say(answer)
        }
    }

    private func note(_ item: TraceInbox.Item, _ line: TraceLine) {
        var mapped = item.body
        for (recorded, ours) in cids { mapped = Self.renamed(mapped, ours, recorded) }
        results.append(comparison.compare(mapped, with: line))
        guard !TracePlan.unordered.contains(line.kind) else { return }
        if item.number < lastNumber { misplaced.append("\(line.kind) (line \(line.line))") }
        lastNumber = item.number
    }

    private static func renamed(_ object: [String: Any], _ old: String, _ new: String) -> [String: Any] {
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: .withoutEscapingSlashes) else {
            return object
        }
        let text = String(decoding: data, as: UTF8.self).replacing(old, with: new)
        return (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? object
    }

    // MARK: The recorded server

    private func say(_ line: TraceLine) async throws {
        var recorded = line.message
        for (theirs, ours) in cids { recorded = Self.renamed(recorded, theirs, ours) }
        let text = String(decoding: try JSONSerialization.data(withJSONObject: recorded), as: UTF8.self)
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        var message = try Livekit_SignalResponse(jsonString: text, options: options)
        switch message.message {
        case .answer(let answer):
            guard let offer else { throw TraceError("line \(line.line) answers no offer") }
            message.answer.sdp = try await peers.answer(offer.sdp, as: answer.sdp)
            message.answer.id = offer.id
        case .offer(let offer): message.offer.sdp = try await peers.carry(offer.sdp)
        case .trickle(let trickle):
            guard let candidate = await peers.candidate(trickle.target) else {
                throw TraceError("the live peer found no candidate")
            }
            message.trickle.candidateInit = CandidateJSON.encode(candidate)
        case .pongResp: message.pongResp.lastPingTimestamp = inbox.lastPing
        default: break
        }
        try await socket.send(message)
    }
}

import RTCSim
import Testing

@testable import OpenTokSignalling

/// Random courses of a session with members of all roles, judged from what each of them hears.
@Suite struct OpenTokSessionCourseTests {
    /// What one member knows, as a client keeps it, and what can't be.
    private struct Ledger {
        let id: String
        var connections: Set<String>
        /// By stream, whose it is.
        var streams: [String: String]
        var ended: Set<String> = []
        var faults: [String] = []

        init(_ id: String, _ state: RaptorSessionState) {
            self.id = id
            connections = Set(state.connections.map(\.id))
            streams = Dictionary(uniqueKeysWithValues: state.streams.map { ($0.id, $0.connection ?? "") })
        }

        mutating func note(_ event: RaptorEvent) {
            switch event {
            case .connectionCreated(let connection):
                check(connections.insert(connection.id).inserted, "\(connection.id) comes twice")
            case .connectionDeleted(let gone, _):
                check(connections.remove(gone) != nil, "\(gone) goes without being there")
                check(!streams.values.contains(gone), "\(gone) goes before its streams")
            case .streamCreated(let stream):
                check(connections.contains(stream.connection ?? ""), "\(stream.id) comes before its connection")
                check(
                    streams.updateValue(stream.connection ?? "", forKey: stream.id) == nil, "\(stream.id) comes twice")
            case .streamDeleted(let stream, _):
                check(streams.removeValue(forKey: stream) != nil, "\(stream) ends without being there")
                check(ended.insert(stream).inserted, "\(stream) ends twice")
            case .streamUpdated(let stream, _, _): check(streams[stream] != nil, "\(stream) changes and is not there")
            case .streamMuted(let stream): check(streams[stream] == id, "a mute of \(stream), which is not ours")
            default: break
            }
        }

        private mutating func check(_ holds: Bool, _ fault: String) { if !holds { faults.append("\(id): \(fault)") } }
    }

    /// A session that things happen to.
    private struct Course {
        var stage: SessionStage
        var random: SeededGenerator
        var ledgers: [String: Ledger] = [:]
        var roles: [String: OpenTokRole] = [:]
        var faults: [String] = []
        private var count = 0

        init(_ mode: MediaMode, seed: UInt64) {
            stage = SessionStage(mode)
            random = SeededGenerator(seed: seed)
        }

        private mutating func name(_ prefix: String) -> String {
            count += 1
            return "\(prefix)\(count)"
        }

        private mutating func member() -> String {
            stage.session.connectionIDs.randomElement(using: &random) ?? "nobody"
        }
        private mutating func stream() -> String { stage.session.streamIDs.randomElement(using: &random) ?? "none" }

        mutating func step() {
            let (member, stream) = (member(), stream())
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: join()
            case 2: leave(member, Bool.random(using: &random) ? .clientDisconnected : .networkDisconnected)
            case 3: _ = stage.command { .forceDisconnect(session: $0, connection: member) }
            case 4: _ = stage.command { .muteStream(session: $0, stream: stream) }
            default: ask()
            }
            hear()
        }

        private mutating func join() {
            let id = name("c")
            let role = OpenTokRole.allCases.randomElement(using: &random) ?? .publisher
            guard stage.join(id, role) == .done else { return }
            roles[id] = role
            ledgers[id] = Ledger(id, stage.session.state(for: id))
        }

        private mutating func leave(_ id: String, _ reason: RaptorReason) { stage.leave(id, reason) }

        private mutating func ask() {
            let (id, target, stream) = (member(), member(), stream())
            guard let role = roles[id] else { return }
            let owner = stage.session.stream(stream)?.connection
            let requests: [(request: RaptorRequest, right: OpenTokPermissions?)] = [
                (.publish(SessionStage.stream(name("s"))), .publish),
                (.unpublish(stream: stream), owner == id ? nil : .forceUnpublish),
                (.subscribe(stream: stream, RaptorSubscriber(id: name("u"))), .subscribe),
                (.updateStream(stream: stream, channel: "audio1", .init(isActive: true)), nil),
                (.signal(to: nil, id: "1", SignalContent(data: "x")), .signal),
                (.forceDisconnect(connection: target), target == id ? nil : .forceDisconnect),
                (.muteStream(stream), .forceMute),
                (.forceMute(ForceMute(isActive: Bool.random(using: &random))), .forceMute),
            ]
            guard let (request, right) = requests.randomElement(using: &random) else { return }
            let before = stage.session.state(for: "x")
            let answer = stage.ask(id, request)
            if let right, !role.permissions().contains(right), answer == .done {
                faults.append("\(role) may \(request)")
            }
            guard case .refused = answer else { return }
            // What is refused has changed nothing, and nobody hears of it.
            if !stage.heard.isEmpty || stage.session.state(for: "x") != before { faults.append("refused: \(request)") }
        }

        /// Everybody hears what there is to hear; who is gone hears nothing.
        private mutating func hear() {
            for id in stage.heard.keys.sorted() {
                if ledgers[id] == nil { faults.append("\(id), who is not there, hears something") }
                for event in stage.take(id) { ledgers[id]?.note(event) }
            }
            for id in ledgers.keys.sorted() where !stage.session.connectionIDs.contains(id) {
                faults += ledgers.removeValue(forKey: id)?.faults ?? []
            }
            stage.forget()
        }

        /// What everybody knows is what is there.
        mutating func finish() -> [String] {
            for (id, ledger) in ledgers {
                faults += ledger.faults
                let state = stage.session.state(for: id)
                if ledger.connections != Set(state.connections.map(\.id)) { faults.append("\(id) knows other people") }
                if Set(ledger.streams.keys) != Set(state.streams.map(\.id)) {
                    faults.append("\(id) knows other streams")
                }
            }
            for id in stage.session.connectionIDs { stage.leave(id) }
            hear()
            if stage.session.description != 0 { faults.append("\(stage.session.description) bytes are left") }
            return faults
        }
    }

    @Test(arguments: MediaMode.allCases, 1...25 as ClosedRange<UInt64>)
    func whatMembersHearFitsTogether(_ mode: MediaMode, _ seed: UInt64) {
        var course = Course(mode, seed: seed)
        for _ in 0..<300 { course.step() }
        #expect(course.finish().isEmpty)
    }

    /// While force mute is active nobody begins to publish with sound, but for streams that are excluded.
    @Test(arguments: MediaMode.allCases) func laterPublishersAreMutedToo(_ mode: MediaMode) {
        var stage = SessionStage(mode)
        stage.join("m", .moderator)
        stage.ask("m", .forceMute(ForceMute(isActive: true, excludedStreams: ["allowed"])))
        for (index, role) in [OpenTokRole.publisher, .publisherOnly, .moderator].enumerated() {
            stage.join("p\(index)", role)
            stage.publish("late\(index)", by: "p\(index)")
            #expect(stage.session.isMuted(.audio, of: "late\(index)"))
            #expect(!stage.session.isMuted(.video, of: "late\(index)"), "pictures go on")
            #expect(stage.take("p\(index)").summary.last == "mute late\(index)", "its publisher is told")
        }
        stage.publish("allowed", by: "p0")
        #expect(!stage.session.isMuted(.audio, of: "allowed"))
        guard case .state(let state) = stage.ask("p2", .readState) else {
            Issue.record("no state")
            return
        }
        let sounds = state.streams.map { $0.channels.first { $0.kind == .audio }?.properties.isActive }
        #expect(sounds == [false, false, false, true], "who joins later finds them muted")
    }

    /// What a moderator among the clients and what the application's server does is the same to everybody.
    @Test(arguments: MediaMode.allCases) func moderatorsAndTheServerDoTheSame(_ mode: MediaMode) throws {
        func stage() -> SessionStage {
            var stage = SessionStage(mode)
            for (id, role) in [("m", OpenTokRole.moderator), ("a", .publisher), ("b", .publisher)] {
                stage.join(id, role)
                stage.publish("of-\(id)", by: id)
            }
            stage.forget()
            return stage
        }
        let pairs: [(RaptorRequest, (OpenTokSessionID) -> RESTCommand)] = [
            (.muteStream("of-a"), { .muteStream(session: $0, stream: "of-a") }),
            (
                .forceMute(ForceMute(isActive: true, excludedStreams: ["of-b"])),
                { .forceMute(session: $0, ForceMute(isActive: true, excludedStreams: ["of-b"])) }
            ),
            (.forceMute(ForceMute(isActive: false)), { .forceMute(session: $0, ForceMute(isActive: false)) }),
            (.forceDisconnect(connection: "a"), { .forceDisconnect(session: $0, connection: "a") }),
        ]
        for (request, command) in pairs {
            var (asked, commanded) = (stage(), stage())
            #expect(asked.ask("m", request) == .done)
            #expect(commanded.command(command) == .done)
            for id in ["m", "a", "b"] {
                #expect(asked.take(id).summary == commanded.take(id).summary, "\(request): \(id)")
            }
            #expect(asked.takeCommands() == commanded.takeCommands() && asked.removed == commanded.removed)
            #expect(asked.notices == commanded.notices)
            #expect(asked.session.state(for: "b") == commanded.session.state(for: "b"))
        }
    }
}

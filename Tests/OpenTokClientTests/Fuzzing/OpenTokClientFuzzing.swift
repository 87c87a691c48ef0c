import OpenTokClient
import OpenTokSignalling
import RTCWire

/// What fuzz targets do with one input: see `WireFuzzing`.
///
/// This folder is also a target of the package in Fuzz/.
package enum OpenTokClientFuzzing {
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("opentokclient", { client($0) })
    ]

    private static let session = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: 0, random: 1)
    private static let relayed = OpenTokSessionID(project: "12345", mediaMode: .relayed, createdAt: 0, random: 1)

    /// The first byte chooses the session; then a byte for what happens and one for a step of time or a choice, and of
    /// messages two bytes for their length. Whatever comes, the machine keeps its bounds, ends once, and says nothing
    /// afterwards.
    package static func client(_ input: UnsafeRawBufferPointer) {
        guard let first = input.first else { return }
        var driver = Driver(first % 2 == 0 ? session : relayed, automatic: first & 2 == 0)
        var rest = input.dropFirst()
        var count = 0
        while rest.count >= 2, count < 500 {
            count += 1
            let (kind, choice) = (rest.removeFirst(), rest.removeFirst())
            switch kind % 8 {
            case 0: driver.pass(.milliseconds(Int(choice) * 100))
            case 1: driver.handle(.opened(socket: driver.socket))
            case 2: driver.handle(.closed(socket: driver.socket, code: choice < 128 ? 1006 : 1000 + Int(choice % 16)))
            case 3: driver.handle(.peer(report(choice), driver.peer(choice / 8)))
            case 4: driver.handle(.command(command(choice), UInt64(count)))
            case 5: driver.answer(choice)
            case 6: driver.handle(.message(Array(take(&rest, choice)), socket: driver.socket))
            default: driver.tell(Array(take(&rest, choice)), choice)
            }
        }
        driver.handle(.leave)
        driver.finish()
    }

    private static func take(_ rest: inout UnsafeRawBufferPointer.SubSequence, _ choice: UInt8) -> [UInt8] {
        guard rest.count >= 2 else { return [] }
        let length = min(rest.count - 2, Int(rest.removeFirst()) << 8 | Int(rest.removeFirst()))
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    private static func report(_ choice: UInt8) -> PeerReport {
        let reports: [PeerReport] = [
            .offerMade(sdp: "o"), .answerMade(sdp: "a"), .candidate(RaptorCandidate(candidate: "candidate:1")),
            .connected, .disconnected, .failed("f"), .broken("b"), .mediaBegan(choice < 128 ? .audio : .video),
        ]
        return reports[Int(choice % 8)]
    }

    private static func command(_ choice: UInt8) -> ClientCommand {
        let name = "s\(choice / 16 % 4)"
        let audio = RaptorChannel(id: "audio1", kind: .audio)
        let commands: [ClientCommand] = [
            .publish(RaptorStream(id: name, channels: [audio])), .unpublish(stream: name),
            .setActive(choice < 128, stream: name, channel: "audio1"),
            .setSubscribed(choice < 128, stream: name, channel: "audio1"),
            .prefer(RaptorSubscriberPreferences(isActive: true), stream: name, channel: "audio1"),
            .signal(SignalContent(type: "t", data: "d"), to: choice < 128 ? nil : ["a", "b"]),
            .forceDisconnect(connection: "a"), .forceUnpublish(stream: name), .forceMuteStream(name),
            .forceMuteAll(ForceMute(isActive: choice < 128)),
        ]
        return commands[Int(choice) % commands.count]
    }

    /// Drives a machine, answers as a server does, and looks after what must hold.
    private struct Driver {
        private var machine: OpenTokMachine
        private var now = Instant.zero
        private(set) var socket = 0
        private var transactions: [String] = []
        private var peers: [RaptorPeer] = []
        private var told = 0
        private var ends = 0
        private let session: OpenTokSessionID

        init(_ session: OpenTokSessionID, automatic: Bool) {
            self.session = session
            let info = SessionInfo(
                session: session, project: "12345", messagingURL: "ws://h/m", serverAddress: "symphony.1")
            var settings = ClientSettings(info: info, token: "T1==", connection: "me")
            settings.subscribesAutomatically = automatic
            machine = OpenTokMachine(settings)
            drive { $0.start($1, into: &$2) }
        }

        mutating func pass(_ interval: Interval) {
            now += interval
            drive { $0.advance(to: $1, into: &$2) }
            // What is due is done by a few calls: a driver never turns in a circle.
            for _ in 0..<4 { drive { $0.advance(to: $1, into: &$2) } }
            precondition(machine.nextDeadline.map { $0 > now } ?? true)
        }

        mutating func handle(_ input: ClientInput) { drive { $0.handle(input, $1, into: &$2) } }

        func peer(_ choice: UInt8) -> RaptorPeer {
            peers.isEmpty ? .stream("s\(choice % 4)") : peers[Int(choice) % peers.count]
        }

        /// Answers the oldest request that has none.
        mutating func answer(_ choice: UInt8) {
            guard !transactions.isEmpty else { return }
            let transaction = transactions.removeFirst()
            let status = [200, 200, 200, 200, 400, 403, 404, 500][Int(choice % 8)]
            let me = RaptorConnection(
                id: "me", creationTime: 1, permissions: OpenTokRole.moderator.permissions())
            let state = RaptorSessionState(connections: [me])
            send(.status(status, transaction: transaction, payload: state.payload))
        }

        /// A message of the server, from the session or from somebody in it.
        mutating func tell(_ payload: [UInt8], _ choice: UInt8) {
            told += 1
            var bytes = payload
            let events: [RaptorEvent] = [
                .connectionCreated(.init(id: "a", creationTime: 1, permissions: .publish)),
                .streamCreated(stream("s\(choice / 16 % 4)")), .streamDeleted(id: "s\(choice / 16 % 4)", .mediaStopped),
                .negotiate(peer(choice / 8), .generateOffer), .negotiate(peer(choice / 8), .offer(sdp: "o")),
                .negotiate(peer(choice / 8), .answer(sdp: "a")), .muteForced(ForceMute(isActive: choice < 128)),
                .connectionDeleted(id: "a", .clientDisconnected),
            ]
            if payload.isEmpty {
                bytes = events[Int(choice % 8)].message(project: "12345", session: session.text).payload
            }
            send(
                .message(
                    to: "me", from: choice < 200 ? "symphony.1" : "a", transaction: "s\(told)", payload: bytes))
        }

        private func stream(_ id: String) -> RaptorStream {
            var stream = RaptorStream(
                id: id, channels: [.init(id: "audio1", kind: .audio), .init(id: "video1", kind: .video)])
            stream.connection = "a"
            return stream
        }

        private mutating func send(_ frame: RumorFrame) {
            if let bytes = try? frame.encoded() { handle(.message(bytes, socket: socket)) }
        }

        private mutating func drive(_ body: (inout OpenTokMachine, Instant, inout [ClientOutput]) -> Void) {
            var outputs: [ClientOutput] = []
            body(&machine, now, &outputs)
            for output in outputs {
                switch output {
                case .open(_, let number): socket = number
                case .send(let bytes):
                    if let frame = try? RumorFrame(message: bytes), frame.kind == .message, let id = frame.transaction,
                        !transactions.contains(id)
                    {
                        transactions.append(id)
                    }
                case .peer(.close, let peer): peers.removeAll { $0 == peer }
                case .peer(_, let peer): if !peers.contains(peer) { peers.append(peer) }
                case .end: ends += 1
                case .report: precondition(ends == 0, "something after the end")
                case .close, .setActive, .settle: break
                }
            }
        }

        func finish() {
            precondition(ends == 1 && machine.hasEnded && machine.nextDeadline == nil)
            precondition(peers.isEmpty, "every connection is closed")
        }
    }
}

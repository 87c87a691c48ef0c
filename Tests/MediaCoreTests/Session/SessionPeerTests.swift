import Foundation
import MediaCore
import Testing

/// A media session and a real aiortc peer, where `Scripts/bootstrap --interop` has installed one.
@Suite(.enabled(if: AiortcPeer.isInstalled), .timeLimit(.minutes(10))) struct SessionPeerTests {
    @Test func messagesOfEveryKindComeBack() async throws {
        let engine = MediaEngine()
        let session = try await MediaSession(engine: engine)
        let channel = try await session.openDataChannel(DataChannelOptions(label: "swift"))
        let lossy = try await session.openDataChannel(
            DataChannelOptions(label: "lossy", isOrdered: false, maximumRetransmissions: 0))
        let offer = try await session.createOffer()
        let peer = try AiortcPeer()
        var echoes: [DataChannel: [[UInt8]]] = [:]
        var theirs: [[UInt8]] = []
        var closed: [String] = []
        var report = AiortcPeer.Report()
        let sent = (0..<200).map { Array("n\($0)".utf8) } + [[UInt8](repeating: 7, count: 60_000), []]
        for await event in session.events {
            switch event {
            case .localCandidate(let candidate) where candidate.candidate.contains(" udp "):
                // A peer that takes no trickled candidates, and none of TCP, has ours in the offer.
                let answer = try peer.answer(offer.sdp + "a=\(candidate.candidate)\r\na=end-of-candidates\r\n")
                try await session.setAnswer(SessionDescription(kind: .answer, sdp: answer))
            case .dataChannelOpened(let opened):
                if opened == channel { for bytes in sent { try await channel.send(bytes, isText: bytes.count < 9) } }
                if opened == lossy { for number in 0..<20 { try await lossy.send([UInt8(number)]) } }
            case .dataChannelMessage(let from, let bytes, _):
                if from.label == "py" { theirs.append(bytes) } else { echoes[from, default: []].append(bytes) }
                if theirs.count == 51, echoes[channel]?.count == 202, echoes[lossy]?.count == 20 {
                    await channel.close()
                }
            case .dataChannelClosed(let gone):
                closed.append(gone.label)
                if gone == channel { report = try peer.finish() }
                if closed.count == 3 { await session.close() }
            default: break
            }
        }
        #expect(echoes[channel] == sent)
        #expect(echoes[lossy].map(Set.init) == Set((0..<20).map { [UInt8($0)] }))
        #expect(Set(theirs).count == 51 && theirs.contains([UInt8](repeating: 0, count: 150_000)))
        #expect(report.received == 222 && report.channels.map(\.label) == ["swift", "lossy"])
        // We are the DTLS server where the answer says active.
        #expect(report.channels.map(\.id) == [1, 3] && report.channels.map(\.isOrdered) == [true, false])
        #expect(closed.first == "swift" && Set(closed) == ["swift", "lossy", "py"])
        await engine.shutdown()
    }

    /// It knows none of our candidates, and names its own host by a name of the local network alone, which is asked for.
    @Test(.enabled(if: AiortcPeer.canHide)) func aPeerBehindANameIsFound() async throws {
        let engine = MediaEngine()
        var configuration = MediaSessionConfiguration()
        configuration.bindAddress = "0.0.0.0"
        let session = try await MediaSession(engine: engine, configuration: configuration)
        let channel = try await session.openDataChannel(DataChannelOptions(label: "swift"))
        let offer = try await session.createOffer()
        let peer = try AiortcPeer(isHidden: true)
        let answer = try peer.answer(offer.sdp)
        let candidates = answer.split(separator: "\r\n").filter { $0.hasPrefix("a=candidate:") }
        #expect(!candidates.isEmpty && candidates.allSatisfy { $0.contains(".local ") })
        try await session.setAnswer(SessionDescription(kind: .answer, sdp: answer))
        var echo: [UInt8] = []
        for await event in session.events {
            switch event {
            case .dataChannelOpened(let opened) where opened == channel:
                try await channel.send(Array("hello".utf8), isText: true)
            case .dataChannelMessage(let from, let bytes, _) where from == channel:
                echo = bytes
                let types = await session.statistics()
                #expect(types.remoteCandidateType == "host")
                _ = try peer.finish()
                await session.close()
            default: break
            }
        }
        #expect(echo == Array("hello".utf8))
        await engine.shutdown()
    }
}

/// Tests/Interop/peers/aiortc_data.py as a process.
private final class AiortcPeer {
    struct Report {
        var received = 0
        var channels: [(label: String, id: Int, isOrdered: Bool)] = []
    }

    struct Silent: Error {}

    private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let python = root.appendingPathComponent(".venv-peers/bin/python")

    static let isInstalled = hasPackage("aiortc")
    static let canHide = hasPackage("zeroconf")

    private static func hasPackage(_ name: String) -> Bool {
        let library = root.appendingPathComponent(".venv-peers/lib").path
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
        return versions.contains {
            FileManager.default.fileExists(atPath: "\(library)/\($0)/site-packages/\(name)/__init__.py")
        }
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// - Parameter isHidden: its addresses are told by names only.
    init(isHidden: Bool = false) throws {
        process.executableURL = Self.python
        let script = Self.root.appendingPathComponent("Tests/Interop/peers/aiortc_data.py").path
        process.arguments = [script] + (isHidden ? ["--hidden"] : [])
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    func answer(_ offer: String) throws -> String {
        try say(JSONSerialization.data(withJSONObject: ["sdp": offer]))
        guard let answer = try line() as? [String: String], let sdp = answer["sdp"] else { throw Silent() }
        return sdp
    }

    func finish() throws -> Report {
        try say(Data())
        guard let seen = try line() as? [String: Any], let channels = seen["channels"] as? [[Any]] else {
            throw Silent()
        }
        return Report(
            received: seen["received"] as? Int ?? 0,
            channels: channels.map { ($0[0] as? String ?? "", $0[1] as? Int ?? -1, $0[2] as? Bool ?? false) })
    }

    private func say(_ line: Data) throws { try input.fileHandleForWriting.write(contentsOf: line + [10]) }

    private func line() throws -> Any {
        var bytes = Data()
        while let next = try output.fileHandleForReading.read(upToCount: 1), next.first != 10 {
            guard !next.isEmpty else { throw Silent() }
            bytes += next
        }
        return try JSONSerialization.jsonObject(with: bytes)
    }
}

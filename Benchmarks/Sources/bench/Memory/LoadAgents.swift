import CallBridge
import MediaCore

/// Participants of a load test in one process: their media is encoded beforehand, and nobody looks at what they receive.
actor LoadAgents {
    private let server: LocalServer
    private let bridge: CallBridge
    private let media: LoadMedia
    private var calls: [Call] = []

    init(_ server: LocalServer) throws {
        self.server = server
        bridge = server.bridge(reception: .counted)
        media = try LoadMedia()
    }

    /// `count` more that publish, each in a room of its own, and receive nothing.
    func publish(_ count: Int) async throws -> String {
        for _ in 0..<count { try await publish(try await join("alone-\(calls.count)", subscribes: false), media.large) }
        return "ok"
    }

    /// `count` more in rooms of two: each publishes, and receives the other.
    func pair(_ count: Int) async throws -> String {
        for _ in 0..<count / 2 {
            let room = "pair-\(calls.count)"
            for _ in 0..<2 { try await publish(try await join(room), media.large) }
        }
        return "ok"
    }

    /// `count` more who receive the one that publishes in their room; the first call brings that one too.
    ///
    /// Its pictures are small: what a subscriber costs the server does not depend on it, what receiving costs here does.
    func audience(_ count: Int) async throws -> String {
        if calls.isEmpty { try await publish(try await join("audience"), media.small) }
        for _ in 0..<count { _ = try await join("audience") }
        return "ok"
    }

    private func join(_ room: String, subscribes: Bool = true) async throws -> Call {
        let descriptor = server.descriptor(room: room, identity: "agent-\(calls.count)")
        let call = try await bridge.join(descriptor, subscribesAutomatically: subscribes)
        calls.append(call)
        return call
    }

    private func publish(_ call: Call, _ clip: IVFFile) async throws {
        try await call.publish(track: LocalTrack(.encodedVideo(IVFSource(clip))), source: .camera)
        try await call.publish(track: LocalTrack(media.sound()), source: .microphone)
    }
}

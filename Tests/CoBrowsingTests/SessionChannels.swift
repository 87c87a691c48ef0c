import CoBrowsing
import CoBrowsingModel
import Foundation
import Synchronization

/// The relay between channels of this process: the one that the server has, without sockets. It keeps what passes.
final class MemoryRelay: Sendable {
    private struct State {
        var relay: CoBrowsingRelay
        var incoming: [Int: AsyncStream<CoBrowsingEnvelope>.Continuation] = [:]
        var passed: [CoBrowsingEnvelope] = []
        var now: Int64 = 0
    }

    private let state: Mutex<State>

    init(_ properties: CoBrowsingProperties = CoBrowsingProperties()) {
        state = Mutex(State(relay: CoBrowsingRelay(properties)))
    }

    /// What was sent to anybody, in its order.
    var passed: [CoBrowsingEnvelope] { state.withLock(\.passed) }

    /// Messages of one sender that passed, read.
    func messages(from sender: String) -> [CoBrowsingMessage] {
        passed.filter { $0.sender == sender }.compactMap { try? CoBrowsingMessage(parsing: $0.message) }
    }

    func channel(_ person: String, _ participant: CoBrowsingParticipant) -> MemoryChannel {
        let (stream, continuation) = AsyncStream.makeStream(of: CoBrowsingEnvelope.self)
        let number = state.withLock { state in
            guard let joined = state.relay.connect("c", person, participant, now: 0) else { return -1 }
            state.incoming[joined.channel] = continuation
            Self.perform(joined.actions, &state)
            return joined.channel
        }
        return MemoryChannel(incoming: stream, number: number, relay: self)
    }

    func receive(_ bytes: [UInt8], from number: Int) {
        state.withLock { state in
            state.now += 100
            Self.perform(state.relay.receive(bytes, from: number, now: state.now), &state)
        }
    }

    func disconnect(_ number: Int) {
        state.withLock { state in
            Self.perform(state.relay.disconnect(number), &state)
            state.incoming.removeValue(forKey: number)?.finish()
        }
    }

    func endConversation() { state.withLock { Self.perform($0.relay.endConversation("c"), &$0) } }

    private static func perform(_ actions: [CoBrowsingRelay.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .send(let channel, let envelope):
                state.passed.append(envelope)
                state.incoming[channel]?.yield(envelope)
            case .close(let channel, _): state.incoming.removeValue(forKey: channel)?.finish()
            case .sharing: break
            }
        }
    }
}

struct MemoryChannel: CoBrowsingChannel {
    let incoming: AsyncStream<CoBrowsingEnvelope>
    let number: Int
    let relay: MemoryRelay

    func send(_ message: [UInt8]) { relay.receive(message, from: number) }
    func close() async { relay.disconnect(number) }
}

/// A screen that a test paints.
final class PaintedScreen: FrameSource {
    let reportsViews: Bool
    private let state: Mutex<ScreenFrame?>
    let isClosed = Mutex(false)
    /// One value for each time that it was looked at.
    let looks: AsyncStream<Void>
    private let look: AsyncStream<Void>.Continuation

    init(_ frame: ScreenFrame, reportsViews: Bool = true) {
        (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state = Mutex(frame)
        self.reportsViews = reportsViews
    }

    func capture() async throws -> ScreenFrame? {
        look.yield()
        return state.withLock { $0 }
    }

    /// Returns when a frame that was shown before has been dealt with: the third look comes after the second one's frame.
    func waitLooks() async {
        var count = 0
        for await _ in looks {
            count += 1
            if count == 3 { return }
        }
    }

    func close() async { isClosed.withLock { $0 = true } }
    func show(_ frame: ScreenFrame?) { state.withLock { $0 = frame } }
}

enum Pictures {
    static let size = FrameSize(width: 300, height: 200)!

    /// Something like an application's screen: areas of one colour, lines like text, and a gradient.
    static func screen(_ size: FrameSize = size, scrolled: Int = 0, seed: UInt64 = 1) -> ScreenFrame {
        var frame = ScreenFrame(size: size, red: 245, green: 246, blue: 250)
        frame.fill(PixelRect(x: 0, y: 0, width: size.width, height: 48), red: 20, green: 60, blue: 140)
        var random = seed
        func draw(_ bound: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(random >> 33) % bound
        }
        for line in 0..<(size.height * 3 / 18) {
            let y = 60 + line * 18 - scrolled
            var x = 16
            while x < size.width - 30 {
                let width = 4 + draw(12)
                if y > 48 {
                    frame.fill(
                        PixelRect(x: x, y: y, width: width, height: 3 + draw(8)), red: UInt8(draw(80)), green: 40,
                        blue: 40)
                }
                x += width + 3 + draw(8)
            }
        }
        return frame
    }

    /// The mean of the differences of two frames' colours, 0 to 255.
    static func difference(_ a: ScreenFrame, _ b: ScreenFrame, in rect: PixelRect? = nil) -> Double {
        guard a.size == b.size else { return 255 }
        let (one, other) = (a.rgb(rect ?? a.size.rect), b.rgb(rect ?? b.size.rect))
        return Double(zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(one.count)
    }
}

extension AsyncStream where Element: Sendable {
    /// The first value that is found; nil at the end.
    func first<Value>(_ find: (Element) -> Value?) async -> Value? {
        for await element in self { if let value = find(element) { return value } }
        return nil
    }
}

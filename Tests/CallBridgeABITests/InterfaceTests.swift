import CCallBridge
import Glibc
import MediaCore
import Synchronization
import Testing

@testable import CallBridgeABI

/// The C interface as an application misuses it. What it does when it is used well is `Tests/Interop/c_library.py`.
@Suite(.timeLimit(.minutes(10))) struct InterfaceTests {
    private static var lastError: String { String(cString: exportedLastError()) }

    /// Options whose text lives while `body` runs.
    private static func with(
        provider: Int32 = CALLBRIDGE_LIVEKIT, url: String? = "ws://127.0.0.1:1", token: String? = "t",
        session: String? = nil, _ callbacks: callbridge_callbacks = callbridge_callbacks(),
        _ body: (inout callbridge_options) -> Int32
    ) -> Int32 {
        func lend(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Int32) -> Int32 {
            guard let text else { return body(nil) }
            return text.withCString { body($0) }
        }
        return lend(url) { url in
            lend(token) { token in
                lend(session) { session in
                    var options = callbridge_options()
                    options.size = UInt32(MemoryLayout<callbridge_options>.size)
                    (options.provider, options.url, options.token) = (provider, url, token)
                    (options.session, options.callbacks) = (session, callbacks)
                    return body(&options)
                }
            }
        }
    }

    @Test func versions() {
        #expect(exportedABIVersion() == UInt32(CALLBRIDGE_ABI_VERSION))
        #expect(String(cString: exportedVersion()) == "0.1.0")
    }

    @Test func wrongOptions() {
        var call: callbridge_call = 7
        #expect(exportedJoin(nil, &call) == CALLBRIDGE_ERROR_ARGUMENT && call == 0)
        #expect(Self.lastError == "options is NULL")
        #expect(Self.with { exportedJoin(&$0, nil) } == CALLBRIDGE_ERROR_ARGUMENT)
        let rows: [(Int32, String?, String?, String?, String)] = [
            (9, "ws://h", "t", nil, "provider"), (CALLBRIDGE_LIVEKIT, nil, "t", nil, "url"),
            (CALLBRIDGE_LIVEKIT, "", "t", nil, "url"),
            (CALLBRIDGE_LIVEKIT, String(repeating: "x", count: 2_049), "t", nil, "url"),
            (CALLBRIDGE_LIVEKIT, "ws://h", nil, nil, "token"), (CALLBRIDGE_OPENTOK, "http://h", "t", nil, "session"),
        ]
        for (provider, url, token, session, named) in rows {
            let code = Self.with(provider: provider, url: url, token: token, session: session) {
                exportedJoin(&$0, &call)
            }
            #expect(code == CALLBRIDGE_ERROR_ARGUMENT && call == 0 && Self.lastError.contains(named), "\(named)")
        }
        let short = Self.with { options in
            options.size = 8
            return exportedJoin(&options, &call)
        }
        #expect(short == CALLBRIDGE_ERROR_ARGUMENT && Self.lastError.contains("size"))
        #expect(exportedLeave(0) == CALLBRIDGE_ERROR_HANDLE, "the last error is replaced")
        #expect(Self.lastError.contains("0 is no call"))
    }

    @Test func handlesThatAreNone() {
        var frame = callbridge_frame()
        var taken = 1
        for handle in [0, .max] as [callbridge_call] {
            #expect(exportedPublishTone(handle, 440) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedPublishTestCard(handle, 320, 180, 15, 1) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedPublishAudio(handle, 1) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedPushAudio(handle, nil, 0, &taken) == CALLBRIDGE_ERROR_HANDLE && taken == 0)
            #expect(exportedPublishVideo(handle, 320, 180, 15) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedPushVideo(handle, &frame) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedSetMuted(handle, CALLBRIDGE_AUDIO, 1) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedLeave(handle) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedDestroy(handle) == CALLBRIDGE_ERROR_HANDLE)
        }
    }

    /// What a call to nobody has told, and what of it can be asked then.
    private final class Witness: Sendable {
        let states = Mutex<[Int32]>([])
        let ended: AsyncStream<Void>
        private let ending: AsyncStream<Void>.Continuation

        init() { (ended, ending) = AsyncStream.makeStream() }

        func note(_ call: callbridge_call, _ state: Int32) {
            states.withLock { $0.append(state) }
            guard state == CALLBRIDGE_ENDED else { return }
            // From within a callback: leaving and destroying, twice.
            #expect(exportedLeave(call) == CALLBRIDGE_OK)
            #expect(exportedPublishTone(call, 440) == CALLBRIDGE_ERROR_NETWORK)
            #expect(exportedSetMuted(call, CALLBRIDGE_AUDIO, 1) == CALLBRIDGE_ERROR_STATE)
            #expect(exportedSetMuted(call, 3, 1) == CALLBRIDGE_ERROR_ARGUMENT)
            #expect(exportedPublishTone(call, .nan) == CALLBRIDGE_ERROR_ARGUMENT)
            #expect(exportedPublishAudio(call, 3) == CALLBRIDGE_ERROR_ARGUMENT)
            #expect(exportedPublishVideo(call, 320, 8, 15) == CALLBRIDGE_ERROR_ARGUMENT)
            #expect(exportedPublishVideo(call, .min, .max, .infinity) == CALLBRIDGE_ERROR_ARGUMENT)
            #expect(exportedPublishTestCard(call, 320, 89, 15, 1) == CALLBRIDGE_ERROR_ARGUMENT)
            #expect(exportedPublishTestCard(call, 320, 180, 0, 1) == CALLBRIDGE_ERROR_ARGUMENT)
            #expect(exportedPushAudio(call, nil, 0, nil) == CALLBRIDGE_ERROR_STATE)
            #expect(exportedPushVideo(call, nil) == CALLBRIDGE_ERROR_STATE)
            #expect(exportedDestroy(call) == CALLBRIDGE_OK)
            #expect(exportedDestroy(call) == CALLBRIDGE_ERROR_HANDLE)
            ending.yield()
        }
    }

    @Test func aCallToNobody() async {
        let witness = Witness()
        var callbacks = callbridge_callbacks()
        callbacks.user_data = Unmanaged.passRetained(witness).toOpaque()
        callbacks.state = { user, call, state, reason in
            guard let user, let reason else { return }
            #expect(state != CALLBRIDGE_ENDED || reason.pointee != 0)
            Unmanaged<Witness>.fromOpaque(user).takeUnretainedValue().note(call, state)
        }
        var call: callbridge_call = 0
        #expect(Self.with(callbacks) { exportedJoin(&$0, &call) } == CALLBRIDGE_OK && call != 0)
        _ = await witness.ended.first { _ in true }
        #expect(witness.states.withLock { $0 } == [CALLBRIDGE_CONNECTING, CALLBRIDGE_ENDED])
        CallbackThread.shared.drain()
        if let user = callbacks.user_data { Unmanaged<Witness>.fromOpaque(user).release() }
    }

    /// A server that takes connections and never says a word.
    private final class SilentServer {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        private(set) var port: UInt16 = 0

        /// False where there is no port.
        func listen() -> Bool {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, 8) == 0
                        && getsockname(descriptor, address, &length) == 0
                }
            }
            port = UInt16(bigEndian: address.sin_port)
            return isListening
        }

        deinit { close(descriptor) }
    }

    /// Why calls have ended.
    private final class Reasons: Sendable {
        let all = Mutex<[String]>([])
    }

    /// Who leaves while joining is out at once, and is told so; who destroys hears nothing more.
    @Test func joiningIsGivenUp() throws {
        let server = SilentServer()
        try #require(server.listen())
        let reasons = Reasons()
        var callbacks = callbridge_callbacks()
        callbacks.user_data = Unmanaged.passUnretained(reasons).toOpaque()
        callbacks.state = { user, _, state, reason in
            guard let user, let reason, state == CALLBRIDGE_ENDED else { return }
            let reasons = Unmanaged<Reasons>.fromOpaque(user).takeUnretainedValue()
            reasons.all.withLock { $0.append(String(cString: reason)) }
        }
        let begun = ContinuousClock.now
        for leaves in [true, false] {
            var call: callbridge_call = 0
            let code = Self.with(url: "ws://127.0.0.1:\(server.port)", callbacks) { exportedJoin(&$0, &call) }
            #expect(code == CALLBRIDGE_OK)
            if leaves {
                #expect(exportedLeave(call) == CALLBRIDGE_OK)
                CallbackThread.shared.drain()
            }
            #expect(exportedDestroy(call) == CALLBRIDGE_OK)
            #expect(exportedDestroy(call) == CALLBRIDGE_ERROR_HANDLE)
        }
        #expect(ContinuousClock.now - begun < .seconds(5))
        #expect(reasons.all.withLock { $0 } == ["we left before we were in the call"])
        withExtendedLifetime(reasons) {}
    }

    // MARK: What is pushed

    @Test func soundWaitsForASecondAtMost() {
        let audio = PushedAudio(channels: 2)
        let samples = [Int16](repeating: 5, count: 2 * 48_000 + 20)
        #expect(samples.withUnsafeBufferPointer { audio.push($0) } == 48_000)
        #expect(samples.withUnsafeBufferPointer { audio.push($0) } == 0)
        var output = [Int16](repeating: 1, count: 2 * 47_999)
        #expect(output.withUnsafeMutableBufferPointer { audio.read(into: $0) } == 47_999)
        #expect(output.allSatisfy { $0 == 5 })
        output = [1, 1, 1, 1]
        #expect(output.withUnsafeMutableBufferPointer { audio.read(into: $0) } == 2, "it has not ended")
        #expect(output == [5, 5, 0, 0])
        // It goes on where it has wrapped around, and takes whole frames alone.
        let more: [Int16] = [1, 2, 3, 4, 5]
        #expect(more.withUnsafeBufferPointer { audio.push($0) } == 2)
        #expect(output.withUnsafeMutableBufferPointer { audio.read(into: $0) } == 2)
        #expect(output == [1, 2, 3, 4])
    }

    @Test func theLastPictureIsShownAgain() throws {
        let video = PushedVideo(width: 32, height: 16, frameRate: 15)
        func luma() throws -> UInt8 {
            let frame = try #require(video.nextFrame(at: MediaTime.zero))
            return frame.withPlanes { $0.y[0] }
        }
        #expect(try luma() == 16)
        let plane = [UInt8](repeating: 99, count: 40 * 16)
        plane.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            video.push(
                I420Planes(
                    y: base, u: base, v: base, yStride: 40, uStride: 16, vStride: 16, width: 32, height: 16))
        }
        #expect(try luma() == 99)
        #expect(try luma() == 99)
    }

    @Test func callbacksComeInOrderOnOneThread() {
        let seen = Mutex<[Int]>([])
        for number in 0..<1_000 { CallbackThread.shared.post { seen.withLock { $0.append(number) } } }
        CallbackThread.shared.post { #expect(CallbackThread.shared.isCurrent) }
        CallbackThread.shared.drain()
        #expect(seen.withLock { $0 } == Array(0..<1_000))
        #expect(!CallbackThread.shared.isCurrent)
    }
}

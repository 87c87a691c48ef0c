import ArgumentParser
import CallBridge
import Foundation
import ProviderLiveKitLike
import Synchronization

/// The course of `ring`, `answer` and `decline`: a device at a server's exchange, and one call on it.
struct RingRun {
    /// What the three print.
    struct Report: Codable {
        var callId: String
        /// `CONNECTED`, `DECLINED`, `ANSWERED_ELSEWHERE`, an end reason and so on.
        var outcome: String
        /// More, where something failed.
        var detail: String?
        /// Milliseconds to connected media, where it came to that; so for all that follows.
        var connectMs: Double?
        /// Who else was in the call.
        var met: [String]?
        /// The loudest frequency heard.
        var heardHz: Double?
        /// `HANG_UP` where we left, `OTHERS_LEFT`, or the call's end reason.
        var ended: String?
    }

    private let options: RingOptions
    private let bridge: CallBridge
    private let phone: RingPhone
    private let joined: JoinedCalls

    init(_ options: RingOptions, presenter: any RingPresenter, gate: AnswerGate = .init()) {
        self.options = options
        let credentials = ServiceCredentials.apiKey(options.key, secret: options.secret)
        let bridge = CallBridge(
            configuration: .init(
                server: options.server, credentials: credentials, providers: [.liveKitLike], trust: options.trust.trust)
        )
        let joined = JoinedCalls()
        self.bridge = bridge
        self.joined = joined
        let device = RingDevice(personId: options.identity, deviceToken: options.device)
        let tone = options.tone
        phone = RingPhone(
            ServerRingTransport(
                server: options.server, credentials: credentials, device: device, trust: options.trust.trust),
            presenter: presenter, gate: gate,
            stopClient: { await joined.leave($0) },
            client: { start in
                let call = try await bridge.join(conversation: start.conversationId, as: device.personId)
                joined.add(call, start.callId)
                try await call.publish(.testTone(tone ?? 440))
                for await event in call.events {
                    if case .mediaConnected = event { return }
                    if case .stateChanged(.active) = event { return }
                }
            })
    }

    /// Begins to listen.
    func start() async throws { try await phone.start() }

    /// Places a call and sees it through.
    func place(_ request: RingRequest) async throws -> Report {
        let id = await phone.place(request)
        return await seeThrough({ $0 == id }, interrupted: { [phone] in await phone.decline(id) })
    }

    /// Waits for a call and sees it through; a timeout of nil waits for ever.
    func wait(timeout: Double?) async -> Report {
        let limit = Task { [phone] in
            guard let timeout else { return }
            try await Task.sleep(for: .seconds(timeout))
            await phone.stop()
        }
        let report = await seeThrough({ _ in true }, interrupted: { [phone] in await phone.stop() })
        limit.cancel()
        return report
    }

    /// The device is unlocked, and so on.
    func deviceChanged(_ gate: AnswerGate) async { await phone.deviceChanged(gate) }

    private func seeThrough(
        _ isOurs: (String) -> Bool, interrupted: @escaping @Sendable () async -> Void
    ) async -> Report {
        var report = Report(callId: "", outcome: "NO_CALL")
        let interruption = Task {
            await Interruption.wait()
            if !Task.isCancelled { await interrupted() }
        }
        for await (id, outcome) in phone.outcomes where isOurs(id) {
            report = Report(callId: id, outcome: CallRing.name(outcome), detail: Self.detail(outcome))
            break
        }
        interruption.cancel()
        if let call = joined[report.callId] {
            if report.outcome == "CONNECTED" { await stay(in: call, &report) }
            await call.leave()
        }
        await phone.stop()
        await bridge.shutdown()
        return report
    }

    private func stay(in call: Call, _ report: inout Report) async {
        let stay = RingStay()
        await stay.stay(in: call, seconds: options.duration)
        report.connectMs = await call.connectMilliseconds
        report.met = await stay.met
        report.heardHz = await stay.heardHz
        report.ended = await stay.ended
        await phone.hangUp(report.callId)
    }

    private static func detail(_ outcome: RingOutcome) -> String? {
        switch outcome {
        case .failed(let why), .clientTimedOut(let why): why
        default: nil
        }
    }

    /// Prints, and throws where it did not come out as wanted.
    static func finish(_ report: Report, json: Bool, expected: String) throws {
        if json {
            JSONOutput.print(report)
        } else {
            print("call \(report.callId): \(report.outcome)\(report.detail.map { ", \($0)" } ?? "")")
        }
        if report.outcome != expected { throw ExitCode(ExitStatus.lost.rawValue) }
    }
}

/// The calls that a device has joined.
private final class JoinedCalls: Sendable {
    private let calls = Mutex<[String: Call]>([:])

    subscript(id: String) -> Call? { calls.withLock { $0[id] } }

    func add(_ call: Call, _ id: String) { calls.withLock { $0[id] = call } }

    func leave(_ id: String) async {
        let call = calls.withLock { $0.removeValue(forKey: id) }
        await call?.leave()
    }
}

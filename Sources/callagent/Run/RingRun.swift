import ArgumentParser
import CallBridge
import CallModel
import Foundation
import MediaCore
import ProviderLiveKitLike
import ProviderOpenTokLike
import Synchronization

/// The course of `ring`, `answer` and `decline`: a device at a server's exchange, and one call on it.
struct RingRun {
    /// What the three print.
    struct Report: Codable {
        var callId: String
        /// `CONNECTED`, `DECLINED`, `ANSWERED_ELSEWHERE`, `NO_CALL`, `INTERRUPTED`, an end reason and so on.
        var outcome: String
        /// More, where something failed.
        var detail: String?
        /// Milliseconds to connected media, where it came to that; so for all that follows.
        var connectMs: Double?
        /// Who else was in the call.
        var met: [String]?
        /// The loudest frequency heard.
        var heardHz: Double?
        /// `HANG_UP` where we left, `OTHERS_LEFT`, `REMOVED`, `DUPLICATE_IDENTITY`, or the call's end reason.
        var ended: String?
        /// What became of the greeting, where one was given.
        var greeting: GreetingSummary?
        /// What the active-call indicator showed, where it was asked for.
        var indicator: IndicatorReport?
        /// What could not be written, and devices that were lost.
        var failures: [String]?
        /// What ended the run before its time.
        var interrupted: String?

        mutating func fail(_ what: String) { failures = (failures ?? []) + [what] }
    }

    private let options: RingOptions
    private let bridge: CallBridge
    private let phone: RingPhone
    private let joined: JoinedCalls
    private let media: RingMedia

    /// Throws `ValidationError`.
    init(
        _ options: RingOptions, media: RingMedia = .init(), presenter: any RingPresenter, gate: AnswerGate = .init()
    ) throws {
        self.options = options
        let (server, credentials) = try options.service()
        let trust = try options.trust.trust
        let bridge = CallBridge(
            configuration: .init(
                server: server, credentials: credentials, providers: [.liveKitLike, .openTokLike],
                trust: trust))
        let joined = JoinedCalls()
        self.bridge = bridge
        self.joined = joined
        self.media = media
        let device = RingDevice(personId: options.identity, deviceToken: options.device)
        phone = RingPhone(
            ServerRingTransport(
                server: server, credentials: credentials, device: device, trust: trust),
            presenter: presenter, gate: gate,
            stopClient: { await joined.leave($0) },
            client: { start in
                let call = try await RingCall.join(
                    start.conversationId, as: device.personId, on: bridge, with: media)
                joined.add(call, start.callId)
                try await call.begin()
            })
    }

    /// Begins to listen; an interruption ends the wait for a server.
    func start() async throws {
        let isStarted: Void? = try await Interruption.unless { [phone] in try await phone.start() }
        if isStarted == nil { await phone.stop() }
    }

    /// Somebody has accepted a call here: they hear the greeting from now on, whatever else is waited for.
    func accepted() async {
        do { try await media.hearing.begin(on: bridge) } catch { StandardError.line("callagent: \(error)") }
    }

    /// Says that calls ring here from now on.
    func announce() { StandardError.line("waiting for a call as \(options.identity)") }

    /// Places a call and sees it through.
    func place(_ request: RingRequest) async throws -> Report {
        guard Interruption.cause == nil else { return await seeThrough({ _ in false }, interrupted: {}) }
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
        note(Interruption.cause, in: &report)
        if report.outcome == "CONNECTED" { StandardError.line("connected: \(report.callId)") }
        if let joined = joined[report.callId] {
            if report.outcome == "CONNECTED" { await see(joined.stay, in: joined.call, &report) }
            await joined.call.leave()
            await joined.finish(into: &report)
        }
        await phone.stop()
        do throws(MediaError) { report.greeting = try await media.hearing.end(media.devices) } catch {
            report.fail("\(error)")
        }
        for failure in media.devices.failures { report.fail(failure) }
        await bridge.shutdown()
        report.interrupted = Interruption.cause?.rawValue
        return report
    }

    /// An interruption gives up what has not come to its own outcome.
    private func note(_ cause: Interruption.Cause?, in report: inout Report) {
        guard let cause, ["NO_CALL", "FAILED"].contains(report.outcome) else { return }
        report.outcome = "INTERRUPTED"
        report.detail = "by \(cause.rawValue)"
    }

    private func see(_ stay: RingStay, in call: Call, _ report: inout Report) async {
        await stay.stay(seconds: options.duration)
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
            let name = report.callId.isEmpty ? "no call" : "call \(report.callId)"
            let words = [report.outcome, report.detail].compactMap { $0 }.joined(separator: ", ")
            let end = report.outcome == "CONNECTED" ? report.ended.map { ", ended: \($0)" } ?? "" : ""
            let failures = (report.failures ?? []).map { "failed: \($0)" }
            StandardOutput.report((["\(name): \(words)\(end)"] + failures).map(\.printable).joined(separator: "\n"))
        }
        if report.outcome != expected || report.failures != nil { throw ExitCode(ExitStatus.lost.rawValue) }
    }
}

/// The calls that a device has joined.
private final class JoinedCalls: Sendable {
    private let calls = Mutex<[String: RingCall]>([:])

    subscript(id: String) -> RingCall? { calls.withLock { $0[id] } }

    func add(_ call: RingCall, _ id: String) { calls.withLock { $0[id] = call } }

    func leave(_ id: String) async { await calls.withLock { $0.removeValue(forKey: id) }?.call.leave() }
}

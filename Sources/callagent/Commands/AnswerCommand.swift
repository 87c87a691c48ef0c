import ArgumentParser
import CallBridge
import Foundation
import Synchronization

/// `callagent answer`: waits until it rings, answers, and joins the call.
struct AnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Wait at a call server until it rings, answer, and join the call.",
        discussion: """
            EXAMPLES
              callagent answer --server http://127.0.0.1:7880 --key devkey --secret ... --identity bob
              callagent answer ... --after 2 --locked-for 3 --tone 660 --duration 10 --json
              callagent answer ... --greeting "Please wait." --speaker heard.wav --video --record out --indicator
              callagent answer ... --locked-for 4 --app-active-after 5 --authenticate-after 6 --region CN

            \(RingOptions.exitCodes("it rang, was answered here and connected"))
            """)

    @Option(name: .long, parsing: .unconditional, help: "Seconds to let it ring.")
    var after = 0.0

    @Option(
        name: .long, parsing: .unconditional,
        help: "The device is unlocked so many seconds after the answer; the client waits for it until then.")
    var lockedFor: Double?

    @Option(
        name: .long, parsing: .unconditional,
        help: "The application comes to the foreground so many seconds after the answer; the client waits until then.")
    var appActiveAfter: Double?

    @Option(
        name: .long, parsing: .unconditional,
        help: "The user authenticates so many seconds after the answer; the client waits until then.")
    var authenticateAfter: Double?

    @Option(
        name: .long, parsing: .unconditional,
        help: "The device's region, such as CH or CN; in China calls are shown as notifications.")
    var region: String?

    @Flag(name: .long, help: "Send pictures, too; without --test-card or --y4m a test card.")
    var video = false

    @Option(name: .long, parsing: .unconditional, help: "Seconds to wait for a call; without it for ever.")
    var timeout: Double?

    @OptionGroup var ring: RingOptions
    @OptionGroup var media: RingMediaOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let seconds: [(String, Double)] = [
            ("--after", after), ("--locked-for", lockedFor ?? 0), ("--timeout", timeout ?? 0),
            ("--app-active-after", appActiveAfter ?? 0), ("--authenticate-after", authenticateAfter ?? 0),
        ]
        for (name, value) in seconds where !(0...86_400).contains(value) {
            throw ValidationError("\(name) \(value): use 0 to 86400 seconds.")
        }
        if region?.isEmpty == true { throw ValidationError("--region must not be empty.") }
    }

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        let device = DeviceScript(unlocked: lockedFor, active: appActiveAfter, authenticated: authenticateAfter)
        let presenter = TalkingPresenter(
            .init(.answer, afterMilliseconds: Int64(after * 1000)), region: region, unlockedAfter: lockedFor)
        Interruption.begin()
        let media = try media.open(wantsPicture: video) { StandardError.line($0.printable) }
        let run = try RingRun(ring, media: media, presenter: presenter, gate: device.gate())
        presenter.answered.set {
            device.play(on: run)
            await run.accepted()
        }
        try await run.start()
        run.announce()
        let report = await run.wait(timeout: timeout)
        try RingRun.finish(report, json: output.json, expected: "CONNECTED")
    }
}

/// When the device of the one who answers is ready for a client, in seconds from the answer; nil where it is before.
struct DeviceScript: Sendable {
    var unlocked: Double?
    var active: Double?
    var authenticated: Double?

    /// What is so after that time; nil until the answer.
    func gate(after seconds: Double? = nil) -> AnswerGate {
        func isDone(_ time: Double?) -> Bool { time.map { time in seconds.map { time <= $0 } ?? false } ?? true }
        return AnswerGate(
            isLocked: !isDone(unlocked), isActive: isDone(active), isAuthenticated: isDone(authenticated))
    }

    /// The times at which something changes, in order.
    var changes: [Double] { Set([unlocked, active, authenticated].compactMap(\.self)).sorted() }

    /// Tells the device of each change when its time has come.
    func play(on run: RingRun) {
        Task {
            var past = 0.0
            for time in changes {
                try await Task.sleep(for: .seconds(time - past))
                past = time
                await run.deviceChanged(gate(after: time))
            }
        }
    }
}

/// Says on standard error what rings, and does what it was made for.
struct TalkingPresenter: RingPresenter {
    private let console = ConsoleRingPresenter { StandardError.line($0) }
    private let script: ScriptedRingPresenter
    private let region: String?
    private let unlockedAfter: Double?
    /// Done when a call is answered here.
    let answered = AnswerAction()

    /// - Parameters:
    ///   - region: the device's; nil for one where calls appear on the native call screen.
    ///   - unlockedAfter: seconds for which the device is locked.
    init(_ step: ScriptedRingPresenter.Step, region: String? = nil, unlockedAfter: Double? = nil) {
        script = ScriptedRingPresenter([step])
        self.region = region
        self.unlockedAfter = unlockedAfter
    }

    func isSupported(region: String) -> Bool { NativeCallScreen.isSupported(region: region) }

    func present(_ offer: RingOffer, decide: @escaping @Sendable (RingDecision) async -> Void) async {
        if let region, !isSupported(region: region) {
            StandardError.line("shown as a notification: region \(region) has no native call screen".printable)
        }
        await console.present(offer) { _ in }
        await script.present(offer) { decision in
            if decision == .answer {
                StandardError.line("answered; \(screen(of: offer))")
                await answered.perform()
            }
            await decide(decision)
        }
    }

    private func screen(of offer: RingOffer) -> String {
        if let region, !isSupported(region: region) { return "the application opens from its notification" }
        let unlocked = unlockedAfter.map { Int64($0 * 1000) } ?? 0
        return switch AnsweredScreen.after(answering: offer.callType, unlockedAfter: unlocked) {
        case .callScreen: "the call screen stays"
        case .application: "the application opens by itself"
        }
    }

    func waiting(_ offer: RingOffer, for reason: String) async { await console.waiting(offer, for: reason) }
    func requestActivation(_ offer: RingOffer) async { await console.requestActivation(offer) }
    func dismiss(_ offer: RingOffer) async { await console.dismiss(offer) }
}

/// What is done when a call is answered; who presents calls is made before who does it.
final class AnswerAction: Sendable {
    private let action = Mutex<(@Sendable () async -> Void)?>(nil)

    func set(_ action: @escaping @Sendable () async -> Void) { self.action.withLock { $0 = action } }

    func perform() async { await action.withLock { $0 }?() }
}

import CallModel
import RTCSim

/// One call with everybody in it, in virtual time: the exchange, the caller's device, the devices that ring, links that
/// delay and keep the order, and users who do something at any time. One seed, one course.
struct RingWorld {
    private enum Happening {
        case toExchange(RingCommand, from: RingDevice)
        case toDevice(RingSignal, RingDevice)
        case user(RingDevice, UserAct)
        case client(RingDevice, Bool)
        case outside(CallEndReason)
        case arrival(RingDevice)
        case provider(ProviderAct)
    }

    /// What happens in the provider's room, whether or not it fits what was rung.
    private enum ProviderAct {
        case enters(String)
        case leaves(String, ParticipantLeftReason)
        case publishes(PublishedMedia, by: String)
        case telephone(of: String, isConnected: Bool)
    }

    private enum UserAct { case answer, decline, abort, hangUp, gate(AnswerGate) }

    /// A device with what it does and has done.
    struct Phone {
        var ring: IncomingRing?
        var starts = 0
        var stops = 0
        var grants = 0
        var reports: [RingOutcome] = []
        var startedBehindGate = false
        var offers = 0
    }

    private(set) var exchange: RingExchange
    private(set) var caller: OutgoingRing
    private(set) var callerReports: [RingOutcome] = []
    private(set) var callerStarts = 0
    private(set) var phones: [RingDevice: Phone] = [:]
    private(set) var journal: [JournalEvent] = []
    private(set) var violations: [JournalViolation] = []
    private(set) var steps = 0
    private var checker = JournalChecker()
    private var random: SeededGenerator
    private var queue: [(time: Int64, number: Int, Happening)] = []
    private var numbers = 0
    private var now: Int64 = 1_000_000
    /// When a link delivers its last message: later ones follow.
    private var busy: [String: Int64] = [:]
    private let devices: [String: [String]]
    private let callerDevice = RingDevice(personId: "caller", deviceToken: "caller-1")

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var devices: [String: [String]] = [:]
        let people = Int.random(in: 0...4, using: &random)
        var groups: [[String]] = [[]]
        for index in 0..<people {
            let name = "p\(index)"
            devices[name] = (0..<Int.random(in: 0...2, using: &random)).map { "\(name)-\($0)" }
            if Int.random(in: 0..<3, using: &random) == 0 { groups.append([]) }
            groups[groups.count - 1].append(name)
        }
        self.devices = devices
        let request = RingRequest(callId: "c", conversationId: "v", callType: .video, groups: groups)
        var timing = RingExchange.Timing()
        timing.ring = Int64.random(in: 500...8_000, using: &random)
        timing.connect = Int64.random(in: 1_000...20_000, using: &random)
        exchange = RingExchange(
            request,
            record: CallRecord(
                id: "c", conversationId: "v", serviceProviderCallId: "v", serviceProviderType: "LIVEKIT",
                initiatorPersonId: "caller", callType: .video),
            callerDevice: callerDevice, mandatory: Bool.random(using: &random) ? ["caller", "p0"] : [], timing: timing)
        var actions: [OutgoingRing.Action] = []
        caller = OutgoingRing(request, at: CallTime(milliseconds: now), into: &actions)
        run(actions)
        scheduleUsers()
        scheduleProvider()
    }

    /// People come through the provider, rung or not, publish, take up telephones, and all go again.
    private mutating func scheduleProvider() {
        let people = ["caller", "visitor-1", "visitor-2"] + devices.keys.sorted()
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            guard let person = people.randomElement(using: &random) else { return }
            let start = Int64.random(in: 0...30_000, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                at(start, .provider(.enters(person)))
                let reasons: [ParticipantLeftReason] = [.hangUp, .removed, .systemAbort]
                at(
                    start + Int64.random(in: 0...60_000, using: &random),
                    .provider(.leaves(person, reasons.randomElement(using: &random) ?? .hangUp)))
            case 1:
                let media = PublishedMedia.allCases.randomElement(using: &random) ?? .audio
                at(start, .provider(.publishes(media, by: person)))
            default:
                at(start, .provider(.telephone(of: person, isConnected: true)))
                at(
                    start + Int64.random(in: 0...20_000, using: &random),
                    .provider(.telephone(of: person, isConnected: false)))
            }
        }
    }

    private mutating func scheduleUsers() {
        for (person, tokens) in devices.sorted(by: { $0.key < $1.key }) {
            for token in tokens {
                let device = RingDevice(personId: person, deviceToken: token)
                phones[device] = Phone()
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let acts: [UserAct] = [.answer, .answer, .decline, .hangUp, .gate(gate()), .gate(AnswerGate())]
                    at(Int64.random(in: 0...12_000, using: &random), .user(device, acts.randomElement(using: &random)!))
                }
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                let late = RingDevice(personId: person, deviceToken: "\(person)-late")
                phones[late] = Phone()
                at(Int64.random(in: 0...9_000, using: &random), .arrival(late))
                at(Int64.random(in: 0...12_000, using: &random), .user(late, .answer))
            }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            at(Int64.random(in: 0...15_000, using: &random), .user(callerDevice, .abort))
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
            let reasons: [CallEndReason] = [.conversationEnded, .recordingDenied, .systemShutdown, .unknown]
            at(Int64.random(in: 0...15_000, using: &random), .outside(reasons.randomElement(using: &random)!))
        }
    }

    private mutating func gate() -> AnswerGate {
        AnswerGate(
            isLocked: Bool.random(using: &random), isActive: Bool.random(using: &random),
            isAuthenticated: Bool.random(using: &random))
    }

    private mutating func at(_ delay: Int64, _ happening: Happening) {
        numbers += 1
        let time = now + delay
        var index = queue.endIndex
        while index > 0, queue[index - 1].time < time { index -= 1 }
        queue.insert((time, numbers, happening), at: index)
    }

    /// Sends along a link that keeps the order.
    private mutating func deliver(_ happening: Happening, link: String) {
        let time = max(busy[link] ?? 0, now + Int64.random(in: 0...400, using: &random))
        busy[link] = time
        at(time - now, happening)
    }

    // MARK: Course

    /// Runs until nothing happens any more.
    mutating func run() {
        while steps < 2_000 {
            let deadline = nextDeadline
            guard let next = queue.last else {
                guard let deadline else { return }
                now = max(now, deadline)
                advance()
                continue
            }
            steps += 1
            if let deadline, deadline < next.time {
                now = max(now, deadline)
                advance()
            } else {
                queue.removeLast()
                now = next.time
                happen(next.2)
            }
        }
    }

    private var time: CallTime { CallTime(milliseconds: now) }

    private var nextDeadline: Int64? {
        var deadlines = [exchange.nextDeadline, caller.nextDeadline]
        for phone in phones.values { deadlines.append(phone.ring?.nextDeadline) }
        return deadlines.compactMap { $0?.rawValue }.min()
    }

    private mutating func advance() {
        steps += 1
        let devices = devices
        exchange { $0.advance(to: $1, devices: { devices[$0] ?? [] }, into: &$2) }
        caller { $0.advance(to: $1, into: &$2) }
        for device in phones.keys.sorted(by: { $0.deviceToken < $1.deviceToken }) {
            phone(device) { $0.advance(to: $1, into: &$2) }
        }
    }

    private mutating func happen(_ happening: Happening) {
        let devices = devices
        switch happening {
        case .toExchange(.place, _): exchange { $0.initiate(at: $1, devices: { devices[$0] ?? [] }, into: &$2) }
        case .toExchange(let command, let device):
            exchange { $0.receive(command, from: device, at: $1, devices: { devices[$0] ?? [] }, into: &$2) }
        case .toDevice(let signal, callerDevice): caller { $0.receive(signal, at: $1, into: &$2) }
        case .toDevice(let signal, let device): receive(signal, device)
        case .user(let device, let act): user(device, act)
        case .client(callerDevice, let works):
            caller { works ? $0.clientConnected(at: $1, into: &$2) : $0.failed("no client", at: $1, into: &$2) }
        case .client(let device, let works):
            phone(device) { works ? $0.clientConnected(at: $1, into: &$2) : $0.clientFailed("no", at: $1, into: &$2) }
        case .outside(let reason): exchange { $0.end(reason, at: $1, into: &$2) }
        case .provider(let act): provider(act)
        case .arrival(let device): exchange { $0.deviceArrived(device, at: $1, into: &$2) }
        }
    }

    private mutating func provider(_ act: ProviderAct) {
        switch act {
        case .enters(let person):
            exchange {
                $0.entered(person, at: $1, into: &$2)
                $0.connected(person, at: $1, into: &$2)
            }
        case .leaves(let person, let reason): exchange { $0.left(person, reason, at: $1, into: &$2) }
        case .publishes(let media, let person): exchange { $0.published(media, by: person, at: $1, into: &$2) }
        case .telephone(let person, true):
            exchange {
                let line = CallPublication.DialIn(provider: "ANY", id: "line-\(person)", number: "+41", start: $1)
                $0.dialInStarted(line, of: person, at: $1, into: &$2)
            }
        case .telephone(let person, false):
            exchange { $0.dialInEnded("line-\(person)", of: person, at: $1, into: &$2) }
        }
    }

    private mutating func receive(_ signal: RingSignal, _ device: RingDevice) {
        if case .granted = signal { phones[device]?.grants += 1 }
        if case .offer(let offer) = signal, phones[device]?.ring == nil {
            var actions: [IncomingRing.Action] = []
            var timing = IncomingRing.Timing()
            timing.client = Int64.random(in: 500...10_000, using: &random)
            timing.connect = Int64.random(in: 500...10_000, using: &random)
            let ring = IncomingRing(offer, gate: gate(), timing: timing, at: time, into: &actions)
            phones[device]?.ring = ring
            phones[device]?.offers += 1
            run(actions, device)
        } else {
            phone(device) { $0.receive(signal, at: $1, into: &$2) }
        }
    }

    private mutating func user(_ device: RingDevice, _ act: UserAct) {
        switch act {
        case .answer: phone(device) { $0.answer(at: $1, into: &$2) }
        case .decline: phone(device) { $0.decline(at: $1, into: &$2) }
        case .gate(let gate): phone(device) { $0.deviceChanged(gate, at: $1, into: &$2) }
        case .abort: caller { $0.abort(at: $1, into: &$2) }
        case .hangUp:
            deliver(
                .toExchange(.hangUp(callId: "c", .hangUp), from: device), link: "to \(device.deviceToken)")
        }
    }

    // MARK: What machines want done

    private mutating func exchange(
        _ event: (inout RingExchange, CallTime, inout [RingExchange.Action]) -> Void
    ) {
        var actions: [RingExchange.Action] = []
        event(&exchange, time, &actions)
        for action in actions {
            switch action {
            case .signal(let signal, let device):
                deliver(.toDevice(signal, device), link: "from \(device.deviceToken)")
            case .journal(let event):
                journal.append(event)
                violations += checker.check(event)
            }
        }
    }

    private mutating func caller(_ event: (inout OutgoingRing, CallTime, inout [OutgoingRing.Action]) -> Void) {
        var actions: [OutgoingRing.Action] = []
        event(&caller, time, &actions)
        run(actions)
    }

    private mutating func run(_ actions: [OutgoingRing.Action]) {
        for action in actions {
            switch action {
            case .send(let command): deliver(.toExchange(command, from: callerDevice), link: "to caller")
            case .startClient:
                callerStarts += 1
                startClient(callerDevice)
            case .report(let outcome):
                callerReports.append(outcome)
                if outcome == .connected { scheduleHangUp(callerDevice) }
            case .present, .stopClient: break
            }
        }
    }

    private mutating func phone(
        _ device: RingDevice, _ event: (inout IncomingRing, CallTime, inout [IncomingRing.Action]) -> Void
    ) {
        guard var ring = phones[device]?.ring else { return }
        var actions: [IncomingRing.Action] = []
        event(&ring, time, &actions)
        phones[device]?.ring = ring
        run(actions, device)
    }

    private mutating func run(_ actions: [IncomingRing.Action], _ device: RingDevice) {
        for action in actions {
            switch action {
            case .send(let command):
                deliver(.toExchange(command, from: device), link: "to \(device.deviceToken)")
            case .startClient:
                phones[device]?.starts += 1
                if phones[device]?.ring?.gate.isOpen != true { phones[device]?.startedBehindGate = true }
                startClient(device)
            case .stopClient: phones[device]?.stops += 1
            case .report(let outcome):
                phones[device]?.reports.append(outcome)
                if outcome == .connected { scheduleHangUp(device) }
            case .present, .presentWaiting, .requestActivation, .dismiss: break
            }
        }
    }

    private mutating func startClient(_ device: RingDevice) {
        // Now and then it never gets ready.
        guard Int.random(in: 0..<10, using: &random) > 0 else { return }
        at(
            Int64.random(in: 50...6_000, using: &random),
            .client(device, Int.random(in: 0..<10, using: &random) > 0))
    }

    private mutating func scheduleHangUp(_ device: RingDevice) {
        at(Int64.random(in: 0...60_000, using: &random), .user(device, .hangUp))
    }

    /// Completes the journal's check.
    mutating func finish() { violations += checker.finish() }
}

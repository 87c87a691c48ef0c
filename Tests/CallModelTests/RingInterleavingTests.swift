import CallModel
import Synchronization
import Testing

/// Ten thousand courses of calls in which everybody does anything at any time.
@Suite struct RingInterleavingTests {
    private static let courses: UInt64 = 10_000

    @Test func noCourseBreaksARuleOrGetsStuck() {
        var outcomes: [String: Int] = [:]
        var endings: [CallEndReason: Int] = [:]
        for seed in 0..<Self.courses {
            var world = RingWorld(seed: seed)
            world.run()
            world.finish()
            let faults = Self.faults(world)
            if !faults.isEmpty {
                Issue.record("seed \(seed): \(faults.joined(separator: "; "))")
                if seed > 20 { return }
            }
            endings[world.exchange.record.endReason ?? .unknown, default: 0] += 1
            for phone in world.phones.values {
                for report in phone.reports { outcomes[Self.name(report), default: 0] += 1 }
            }
        }
        // The courses reach every end of a call and every outcome of a ring.
        for reason in CallEndReason.allCases { #expect(endings[reason, default: 0] > 20, "\(reason)") }
        for outcome in [
            "connected", "declined", "hungUp", "answeredElsewhere", "declinedElsewhere", "missed(timeout)",
            "missed(terminated)", "endedAfterAnswer", "clientTimedOut", "failed",
        ] { #expect(outcomes[outcome, default: 0] > 20, "\(outcome)") }
    }

    private static func faults(_ world: RingWorld) -> [String] {
        var faults = world.violations.map(\.description)
        if !world.exchange.isEnded { faults.append("the call never ends: \(world.exchange.phase)") }
        if world.exchange.phase != .idle || world.exchange.nextDeadline != nil { faults.append("it is not idle") }
        if !world.caller.isFinished { faults.append("the caller waits for ever: \(world.caller.state)") }
        if world.callerReports.count != 1 { faults.append("the caller reports \(world.callerReports)") }
        if world.callerStarts > 1 { faults.append("the caller starts \(world.callerStarts) clients") }
        for (device, phone) in world.phones {
            if phone.reports.count != phone.offers { faults.append("\(device.deviceToken) reports \(phone.reports)") }
            if let ring = phone.ring, !ring.isFinished { faults.append("\(device.deviceToken): \(ring.state)") }
            if phone.starts > 1 || phone.stops > phone.starts { faults.append("\(device.deviceToken) starts twice") }
            if phone.starts > phone.grants { faults.append("\(device.deviceToken) starts without a grant") }
            if phone.startedBehindGate { faults.append("\(device.deviceToken) starts while it may not") }
        }
        if world.phones.values.count(where: { $0.grants > 0 }) > 1 { faults.append("two devices have the call") }
        if world.phones.values.count(where: { $0.reports.contains(.connected) }) > 1 { faults.append("two connect") }
        return faults
    }

    private static func name(_ outcome: RingOutcome) -> String {
        switch outcome {
        case .missed(let reason): "missed(\(reason))"
        case .clientTimedOut: "clientTimedOut"
        case .failed: "failed"
        case .ended: "ended"
        default: "\(outcome)"
        }
    }
}

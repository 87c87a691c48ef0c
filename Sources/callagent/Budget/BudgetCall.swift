import CallBridge
import Foundation
import MediaCore
import RTCSim

/// A call of several in this process, whose cost is counted: everybody sends a tone and a test card, and decodes all others.
struct BudgetCall: Sendable {
    var participants: Int
    var picture: PictureFormat
    /// That are counted.
    var seconds: Double
    /// Before that, from the moment when all see all.
    var settling: Double
    /// Between each participant and the server.
    var network: NetworkProfile?

    /// What was counted; of one participant in a minute where nothing else is said.
    struct Cost: Sendable, Hashable {
        var participants = 0
        var cpuSecondsPerMinute = 0.0
        var sentPerMinute = 0.0
        var receivedPerMinute = 0.0
        /// Of the pictures that were due at all receivers, those that arrived.
        var share = 0.0
    }

    /// All counters at one moment.
    private struct Reading {
        var time = ContinuousClock.now
        var cpu = Resources.now.cpuSeconds
        var sent = 0
        var received = 0
        var pictures = 0
        /// Tracks that have given a first frame.
        var flowing = 0

        init(_ calls: [Call]) async {
            for call in calls {
                let statistics = await call.statistics()
                sent += statistics.bytesSent
                received += statistics.bytesReceived
                for track in statistics.receivers {
                    if track.firstFrameMilliseconds != nil { flowing += 1 }
                    if track.kind == .video { pictures += track.framesDecoded }
                }
            }
        }
    }

    private static let patience = 20.0

    /// The call. Throws `CallError`, and `ExitStatus.Failure` where not everybody sees and hears everybody.
    ///
    /// - Parameter look: called when everybody is seen and heard, and again, with true, when all is counted.
    func measure(
        at venue: any CallVenue, engine: MediaEngine, look: (_ isOver: Bool) -> Void = { _ in }
    ) async throws -> Cost {
        var own: [String: NetworkProfile] = [:]
        for index in 0..<participants { own[CallRun.name(index)] = network }
        let relays = network == nil ? nil : try await CallNetwork.start(.init(own: own))
        var calls: [Call] = []
        do {
            for index in 0..<participants { calls.append(try await join(index, venue, engine, relays)) }
            let cost = try await count(calls, look)
            await leave(calls, relays)
            return cost
        } catch {
            await leave(calls, relays)
            throw error
        }
    }

    private func leave(_ calls: [Call], _ relays: CallNetwork?) async {
        for call in calls { await call.leave() }
        await relays?.stop()
    }

    private func join(_ index: Int, _ venue: any CallVenue, _ engine: MediaEngine, _ relays: CallNetwork?) async throws
        -> Call
    {
        let name = CallRun.name(index)
        var configuration = venue.configuration(for: name, room: "budget")
        configuration.engine = engine
        relays?.route(&configuration.media, of: name)
        let call = try await CallBridge(configuration: configuration).join(conversation: "budget", as: name)
        let events = call.events
        Task {
            for await case .trackSubscribed(let remote, let track, _) in events {
                if track.kind == .video { remote.attach(TestCardSink()) } else { remote.attach(AudioMeter()) }
            }
        }
        let format = LocalMedia.VideoFormat(
            width: picture.width, height: picture.height, frameRate: picture.frameRate)
        try await call.publish(.testTone(220 * Double(index + 1)), .testCard(format, sender: UInt16(index + 1)))
        return call
    }

    private func count(_ calls: [Call], _ look: (_ isOver: Bool) -> Void) async throws -> Cost {
        let expected = participants * (participants - 1) * 2
        let end = ContinuousClock.now + .seconds(Self.patience)
        var flowing = await Reading(calls).flowing
        while flowing < expected {
            guard ContinuousClock.now < end else {
                throw ExitStatus.Failure(
                    status: .lost, message: "\(flowing) of \(expected) tracks came within \(Int(Self.patience)) s")
            }
            try await Task.sleep(for: .milliseconds(50))
            flowing = await Reading(calls).flowing
        }
        look(false)
        try await Task.sleep(for: .seconds(settling))
        let first = await Reading(calls)
        try await Task.sleep(for: .seconds(seconds))
        let last = await Reading(calls)
        look(true)
        return cost(from: first, to: last)
    }

    private func cost(from first: Reading, to last: Reading) -> Cost {
        let took = max(0.001, (last.time - first.time) / .seconds(1))
        let each = 60 / took / Double(participants)
        let due = Double(participants * (participants - 1)) * picture.frameRate * took
        return Cost(
            participants: participants, cpuSecondsPerMinute: (last.cpu - first.cpu) * each,
            sentPerMinute: Double(last.sent - first.sent) * each,
            receivedPerMinute: Double(last.received - first.received) * each,
            share: Double(last.pictures - first.pictures) / due)
    }
}

import OpenTokSignalling
import RTCSim
import RTCWire
import Testing

@testable import OpenTokClient

/// Several clients and the server's own values in virtual time.
@Suite struct SimulatedWorldTests {
    private static let names = ["ada", "bob", "cleo", "dan"]

    private func call(_ mode: MediaMode, seed: UInt64 = 1, _ roles: [OpenTokRole] = []) throws -> SimulatedWorld {
        var world = SimulatedWorld(mode, seed: seed)
        for (index, name) in Self.names.enumerated() {
            try world.join(name, roles.isEmpty ? .publisher : roles[index])
            world.run(.milliseconds(50))
        }
        world.run(.seconds(1))
        return world
    }

    private func count(_ world: SimulatedWorld, _ name: String, _ line: String) -> Int {
        world.log(name).count { $0 == line }
    }

    @Test(arguments: MediaMode.allCases) func everybodyReceivesEverybody(_ mode: MediaMode) throws {
        var world = try call(mode)
        for name in Self.names { world.command(name, .publish(.both("of-\(name)")), 1) }
        world.run(.seconds(5))
        for name in Self.names {
            #expect(count(world, name, "publisher of-\(name) created") == 1)
            #expect(count(world, name, "done 1") == 1)
            for other in Self.names where other != name {
                #expect(count(world, name, "+c \(other)") == 1)
                #expect(count(world, name, "+s of-\(other)") == 1)
                #expect(count(world, name, "subscriber of-\(other) +audio1") == 1)
                #expect(count(world, name, "subscriber of-\(other) +video1") == 1)
            }
        }
        world.leave("bob")
        world.run(.seconds(1))
        #expect(world.log("bob").last == "end left")
        for name in Self.names where name != "bob" {
            #expect(count(world, name, "-s of-bob clientDisconnected") == 1)
            #expect(world.log(name).last == "-c bob clientDisconnected", "\(world.log(name))")
        }
    }

    @Test func aModeratorMutesAndSendsAway() throws {
        var world = try call(.routed, [.moderator, .publisher, .publisher, .subscriber])
        for name in Self.names.dropLast() { world.command(name, .publish(.both("of-\(name)")), 1) }
        world.run(.seconds(3))
        world.command("ada", .forceMuteAll(ForceMute(isActive: true, excludedStreams: ["of-ada"])), 2)
        world.run(.seconds(1))
        #expect(count(world, "ada", "done 2") == 1)
        #expect(count(world, "ada", "publisher of-ada muted audio1") == 0)
        for name in ["bob", "cleo"] {
            #expect(count(world, name, "muteForced true") == 1)
            #expect(count(world, name, "publisher of-\(name) muted audio1") == 1)
            #expect(count(world, "dan", "of-\(name)/audio1 active false") == 1)
        }
        world.command("bob", .publish(.sound("late")), 3)
        world.run(.seconds(2))
        #expect(count(world, "bob", "publisher late muted audio1") == 1)
        #expect(world.session.isMuted(.audio, of: "late"))
        world.command("ada", .forceUnpublish(stream: "late"), 4)
        world.command("ada", .forceDisconnect(connection: "cleo"), 5)
        world.command("bob", .forceDisconnect(connection: "ada"), 6)
        world.run(.seconds(1))
        #expect(count(world, "bob", "publisher late destroyed forceUnpublished") == 1)
        #expect(world.log("cleo").last == "end removed forceDisconnected")
        #expect(count(world, "bob", "-c cleo forceDisconnected") == 1)
        #expect(count(world, "bob", "-s of-cleo forceDisconnected") == 1)
        #expect(count(world, "bob", "failed 6 1520") == 1)
    }

    /// Links go away for up to twenty seconds, noticed or not, while everybody sends signals.
    @Test(arguments: MediaMode.allCases, 1...12 as ClosedRange<UInt64>)
    func nothingIsLostAndNothingDoubled(_ mode: MediaMode, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var world = try call(mode, seed: seed)
        for name in Self.names { world.command(name, .publish(.sound("of-\(name)")), 1) }
        var sent: [(from: String, text: String)] = []
        for round in 0..<60 {
            let name = Self.names[Int.random(in: 0...3, using: &random)]
            if Int.random(in: 0...3, using: &random) == 0 {
                let isUp = world.clients[name]?.isUp ?? true
                world.setUp(!isUp, name, isNoticed: Bool.random(using: &random))
            }
            world.command(name, .signal(SignalContent(data: "\(round)"), to: nil), CommandID(100 + round))
            sent.append((name, "\(round)"))
            world.run(.milliseconds(Int.random(in: 10...900, using: &random)))
        }
        for name in Self.names { world.setUp(true, name) }
        world.run(.seconds(30))
        for name in Self.names {
            #expect(!world.log(name).contains { $0.hasPrefix("end") || $0.hasPrefix("failed") }, "\(world.log(name))")
            for signal in sent { #expect(count(world, name, "signal \(signal.text) of \(signal.from)") == 1) }
            for other in Self.names {
                let heard = world.log(name).filter { $0.hasSuffix(" of \(other)") && $0.hasPrefix("signal") }
                #expect(heard == sent.filter { $0.from == other }.map { "signal \($0.text) of \(other)" }, "in order")
                guard other != name else { continue }
                #expect(count(world, name, "+s of-\(other)") == 1)
                #expect(
                    world.clients[name]?.machine.subscribers["of-\(other)"]?.told == ["audio1"],
                    "\(name): \(world.log(name).filter { !$0.hasPrefix("signal") && !$0.hasPrefix("done") })")
            }
            #expect(count(world, name, "reconnecting") == count(world, name, "reconnected"))
        }
    }

    @Test(arguments: MediaMode.allCases) func whoIsAwayForMoreThanAMinuteIsGoneForEverybody(_ mode: MediaMode) throws {
        var world = try call(mode)
        world.command("bob", .publish(.sound("of-bob")), 1)
        world.run(.seconds(3))
        world.setUp(false, "bob")
        world.run(.seconds(80))
        #expect(world.log("bob").suffix(2) == ["reconnecting", "end lost"])
        for name in Self.names where name != "bob" {
            #expect(count(world, name, "-s of-bob networkDisconnected") == 1)
            #expect(count(world, name, "-c bob networkDisconnected") == 1)
        }
        #expect(world.session.connectionIDs.sorted() == ["ada", "cleo", "dan"])
    }
}

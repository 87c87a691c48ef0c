import ArgumentParser
import RTCSim
import Testing

@testable import callagent

/// The command line of `netem`, and networks on those of others.
@Suite struct NetemCommandTests {
    private func netem(_ arguments: String...) throws -> NetemRun.Settings {
        let command = try #require(try CallAgent.parseAsRoot(["netem"] + arguments) as? NetemCommand)
        return try command.settings()
    }

    @Test func aServerIsStoodFor() throws {
        let settings = try netem("--server", "ws://127.0.0.1:7880", "--network", "3g,up.rate=300", "--seed", "9")
        #expect(settings.server?.authority == "127.0.0.1:7880")
        #expect((settings.host, settings.port) == ("127.0.0.1", 7890))
        #expect((settings.profile.up.rate, settings.profile.down.rate, settings.profile.seed) == (300, 1600, 9))
        #expect(settings.ways.isEmpty && !settings.isEachItsOwn)
    }

    @Test func portsArePassedOn() throws {
        let settings = try netem("--udp", "3479=127.0.0.1:3478", "--udp", "[::1]:0=[::1]:9", "--listen", "0.0.0.0:0")
        #expect(settings.ways.map(\.host) == ["127.0.0.1", "::1"])
        #expect(settings.ways.map(\.port) == [3479, 0])
        #expect(settings.ways.map { NetemRun.text($0.target) } == ["127.0.0.1:3478", "[::1]:9"])
        #expect(settings.server == nil)
        #expect((settings.host, settings.port) == ("0.0.0.0", 0))
    }

    @Test(arguments: [
        ([], "name what shall be passed on"), (["--server", "ftp://x"], "no server URL"),
        (["--server", "ws://h/rtc"], "leave out the path"), (["--udp", "5"], "PORT=HOST:PORT"),
        (["--udp", "5=127.0.0.1"], "needs a port"), (["--udp", "x=127.0.0.1:5"], "PORT or ADDRESS:PORT"),
        (["--server", "ws://h", "--network", "5g"], "is no profile"),
        (["--server", "ws://h", "--network", "trace=/nowhere/x.trace"], "trace=/nowhere/x.trace"),
        (["--server", "ws://h", "--listen", "h:1"], "PORT or ADDRESS:PORT"),
        (["--server", "ws://h", "--interval", "0"], "0.1 to 3600"),
    ])
    func mistakesAreNamed(arguments: [String], words: String) {
        #expect {
            try CallAgent.parseAsRoot(["netem"] + arguments)
        } throws: {
            CallAgent.fullMessage(for: $0).contains(words) && CallAgent.exitCode(for: $0) == .validationFailure
        }
    }

    @Test func callAndLoadTakeTheSameNetworks() throws {
        let call = try #require(
            try CallAgent.parseAsRoot(["call", "--network", "wifi-good", "--network-for", "bob:train,seed=3"])
                as? CallCommand)
        #expect(call.settings.network.profile == NetworkProfile.preset("wifi-good"))
        #expect(call.settings.network.own["bob"]?.down == NetworkProfile.preset("train")?.down)
        #expect(call.settings.network.own["bob"]?.seed == 3)
        let rule = try LoadNetworkOptions.rule("subscriber 3:4g,down.rate=500")
        #expect((rule.profile.up.rate, rule.profile.down.rate) == (6000, 500))
        #expect { try CallAgent.parseAsRoot(["call", "--network-for", "eve:3g"]) } throws: {
            CallAgent.fullMessage(for: $0).contains("there is no eve")
        }
        #expect { try CallAgent.parseAsRoot(["call", "--provider", "fake", "--network", "rebind=5s"]) } throws: {
            CallAgent.fullMessage(for: $0).contains("rebind needs sockets")
        }
    }
}

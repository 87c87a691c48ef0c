import ArgumentParser
import Foundation
import LoadCore

/// Who takes part in a load test. Names are those of `lk load-test` where they mean the same.
struct LoadPeopleOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: "How many rooms.")
    var rooms = 1

    @Option(name: .long, parsing: .unconditional, help: "Participants of each room that publish sound and pictures.")
    var publishers = 0

    @Option(
        name: .long, parsing: .unconditional,
        help: "Participants of each room that publish sound; the first of them are those of --video-publishers.")
    var audioPublishers = 0

    @Option(name: .long, parsing: .unconditional, help: "Participants of each room that publish pictures.")
    var videoPublishers = 0

    @Option(name: .long, parsing: .unconditional, help: "Participants of each room that receive the others.")
    var subscribers = 0

    @Flag(name: .long, help: "Publishers receive each other, too.")
    var publishersSubscribe = false

    @Option(name: .long, parsing: .unconditional, help: "The room's name; of several the beginning.")
    var room = "load"

    @Option(name: .long, parsing: .unconditional, help: "How identities begin.")
    var identityPrefix = "load"

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "This process does part i, from 0, of a run of n; auto/n takes i from JOB_COMPLETION_INDEX.",
            discussion: """
                All parts are given the same options. Whole rooms go to one part where there are as many rooms as parts, else \
                the participants of each room in turn. `callagent load merge` makes one file of what they leave.
                """, valueName: "i/n"),
        transform: LoadPeopleOptions.shard)
    var shard: LoadShard?

    private static func shard(_ text: String) throws -> LoadShard {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        var index = halves.first.map(String.init) ?? ""
        if index == "auto" {
            guard let given = ProcessInfo.processInfo.environment["JOB_COMPLETION_INDEX"] else {
                throw ValidationError("--shard \(text): JOB_COMPLETION_INDEX is not set; write --shard 0/4, or set it.")
            }
            index = given
        }
        guard halves.count == 2, let number = Int(index), let count = Int(halves[1]),
            let shard = LoadShard(index: number, count: count)
        else {
            throw ValidationError(
                "--shard \(text): part \(index.isEmpty ? "?" : index) is none of that run; write 0/4 to 3/4 for one of four, at "
                    + "most of \(LoadShard.most).")
        }
        return shard
    }

    func validate() throws {
        let counts = [
            ("rooms", rooms), ("publishers", publishers), ("audio-publishers", audioPublishers),
            ("video-publishers", videoPublishers), ("subscribers", subscribers),
        ]
        for (name, count) in counts where !((name == "rooms" ? 1 : 0)...20_000).contains(count) {
            throw ValidationError("--\(name) \(count): use 0 to 20000, and at least one room.")
        }
        if publishers > 0, audioPublishers > 0 || videoPublishers > 0 {
            throw ValidationError(
                "--publishers sets --audio-publishers and --video-publishers: leave out the one or the others.")
        }
        guard !room.isEmpty, !identityPrefix.isEmpty else {
            throw ValidationError("--room and --identity-prefix must not be empty.")
        }
    }

    func apply(to settings: inout LoadSettings) {
        settings.rooms = rooms
        settings.audioPublishers = max(publishers, audioPublishers)
        settings.videoPublishers = max(publishers, videoPublishers)
        settings.subscribers = subscribers
        settings.publishersSubscribe = publishersSubscribe
        settings.room = room
        settings.identityPrefix = identityPrefix
        settings.shard = shard
    }
}

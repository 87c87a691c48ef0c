import LiveKitProtocol
import NIOConcurrencyHelpers
import OpenTokSignalling

/// The calls that descriptors were given for. A call keeps its provider: everybody who asks while it lasts is sent to the
/// same one, whatever the configuration says by then.
///
/// A call through this server's rooms ends when the last one has left, unless somebody is on the way to it: who was just sent
/// there and those who ask next would be in two calls. Of calls elsewhere the server knows only who asks:
/// they end when their client says so, or when nobody has asked for a while.
final class CallTable: Sendable {
    struct Entry: Sendable, Hashable {
        var callId: String
        var provider: String
        var serviceProviderCallId: String
        var mediaKind: String
        /// Whether the rooms of this server carry it.
        var isLocal: Bool
        /// Of a call that is a session: the API key of its project.
        var project: String?
        /// Everybody is sent there by the dialect that they are configured for.
        var isShared = false
        /// Those who were sent to this provider and have not said that it failed.
        var holders: Set<String> = []
        /// Milliseconds since 1970.
        var lastAsked: Int64 = 0
        /// When those asked who have not come yet.
        var awaited: [String: Int64] = [:]
    }

    /// Why there is no descriptor.
    enum Refusal: Error, Hashable {
        /// The provider that is asked for is not among those of the configuration.
        case unknownProvider(String)
        /// Others are in the call, through this provider.
        case inUse(String)
        /// Every provider has failed.
        case exhausted([String])
        /// Sessions can't be made with that API key.
        case noProject(String)
    }

    /// How long a call that nobody is known to be in waits for somebody to come, or to ask for it.
    static let patience: Int64 = 120_000
    /// How long somebody may take from the descriptor to the room; the call doesn't end before them.
    static let arrival: Int64 = 30_000
    /// At most so many calls are kept; the one that was asked for longest ago makes room.
    static let capacity = 10_000

    private let entries = NIOLockedValueBox<[String: Entry]>([:])

    /// The conversation's call, made or moved to another provider where the request asks for it and may.
    func call(
        _ request: CallLookup, configuration: ServiceConfiguration, now: Int64, occupancy: (String) -> Int
    ) throws(Refusal) -> Entry {
        let result = entries.withLockedValue { entries -> Result<Entry, Refusal> in
            do throws(Refusal) {
                return .success(try find(request, configuration, now, occupancy, in: &entries))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Somebody has come to the room of a call. Where that name has never asked, as ids of a session's connections don't, it is
    /// who has been on the way for longest.
    func came(_ identity: String, to room: String) {
        entries.withLockedValue { entries in
            guard let conversation = Self.conversation(in: room, entries), var entry = entries[conversation] else {
                return
            }
            let isName = entry.holders.contains(identity)
            guard let name = isName ? identity : entry.awaited.min(by: { $0.value < $1.value })?.key else { return }
            entry.awaited[name] = nil
            entries[conversation] = entry
        }
    }

    /// The room of a call is empty.
    func ended(room: String, now: Int64) {
        entries.withLockedValue { entries in
            guard let conversation = Self.conversation(in: room, entries), let entry = entries[conversation] else {
                return
            }
            if entry.awaited.values.allSatisfy({ now - $0 >= CallTable.arrival }) { entries[conversation] = nil }
        }
    }

    /// A client says that the conversation's call is over.
    func ended(conversation: String) { entries.withLockedValue { $0[conversation] = nil } }

    private func find(
        _ request: CallLookup, _ configuration: ServiceConfiguration, _ now: Int64, _ occupancy: (String) -> Int,
        in entries: inout [String: Entry]
    ) throws(Refusal) -> Entry {
        let settings = configuration.settings(for: request.asker)
        let holder = request.asker.identity ?? ""
        var entry = entries[request.conversation].flatMap { isAlive($0, now, occupancy) ? $0 : nil }
        if var present = entry, present.isShared {
            let name = try choose(request, settings, configuration)
            if configuration.isHere(name) {
                present.provider = name
                return keep(present, request, now, in: &entries)
            }
        }
        if var present = entry, request.failed.contains(present.provider) {
            present.holders.remove(holder)
            entries[request.conversation] = present
            guard isFree(present, occupancy) else { throw .inUse(present.provider) }
            entry = nil
        }
        if let present = entry, let wanted = request.wanted, wanted != present.provider {
            guard isFree(present, occupancy), present.holders.subtracting([holder]).isEmpty else {
                throw .inUse(present.provider)
            }
            entry = nil
        }
        let result: Entry
        if let entry { result = entry } else { result = try make(request, settings, configuration, now) }
        return keep(result, request, now, in: &entries)
    }

    private func keep(
        _ entry: Entry, _ request: CallLookup, _ now: Int64, in entries: inout [String: Entry]
    ) -> Entry {
        var result = entry
        let asker = request.asker.identity ?? ""
        result.holders.insert(asker)
        result.lastAsked = now
        if entry.isLocal {
            result.awaited = result.awaited.filter { now - $0.value < CallTable.arrival }
            result.awaited[asker] = now
        }
        makeRoom(in: &entries)
        entries[request.conversation] = result
        return result
    }

    /// The conversation whose call is in a room of this server.
    func conversation(in room: String) -> String? {
        entries.withLockedValue { Self.conversation(in: room, $0) }
    }

    private static func conversation(in room: String, _ entries: [String: Entry]) -> String? {
        entries.first { $0.value.isLocal && $0.value.serviceProviderCallId == room }?.key
    }

    private func isAlive(_ entry: Entry, _ now: Int64, _ occupancy: (String) -> Int) -> Bool {
        (entry.isLocal && occupancy(entry.serviceProviderCallId) > 0)
            || now - entry.lastAsked < CallTable.patience
    }

    /// Whether nobody is known to be in the call.
    private func isFree(_ entry: Entry, _ occupancy: (String) -> Int) -> Bool {
        entry.isLocal ? occupancy(entry.serviceProviderCallId) == 0 : entry.holders.isEmpty
    }

    private func make(
        _ request: CallLookup, _ settings: ServiceConfiguration.Settings, _ configuration: ServiceConfiguration,
        _ now: Int64
    ) throws(Refusal) -> Entry {
        let name = try choose(request, settings, configuration)
        let provider = configuration.providers[name] ?? .init()
        let callId = SessionID.call()
        let isHere = configuration.isHere(name)
        var entry = Entry(
            callId: callId, provider: name, serviceProviderCallId: "", mediaKind: settings.mediaKind ?? "AUDIO_VIDEO",
            isLocal: isHere)
        guard isHere, name == "OPENTOK" || configuration.sharesRooms else {
            entry.serviceProviderCallId = provider.room.replacing("{conversation}", with: request.conversation)
                .replacing("{call}", with: callId)
            return entry
        }
        // The session is the room, for either dialect.
        let maker = configuration.providers["OPENTOK"] ?? provider
        let project = maker.signing?.key ?? request.asker.key
        let id = OpenTokSessionID(project: project, mediaMode: maker.mediaMode, createdAt: now)
        guard id.belongs(to: project) else { throw .noProject(project) }
        entry.serviceProviderCallId = id.text
        entry.project = project
        entry.isShared = configuration.sharesRooms
        return entry
    }

    private func choose(
        _ request: CallLookup, _ settings: ServiceConfiguration.Settings, _ configuration: ServiceConfiguration
    ) throws(Refusal) -> String {
        if let wanted = request.wanted {
            guard configuration.providers[wanted] != nil else { throw .unknownProvider(wanted) }
            return wanted
        }
        let order = [settings.provider].compactMap { $0 } + (settings.failover ?? [])
        guard let name = order.first(where: { !request.failed.contains($0) && configuration.providers[$0] != nil })
        else { throw .exhausted(order) }
        return name
    }

    private func makeRoom(in entries: inout [String: Entry]) {
        guard entries.count >= CallTable.capacity,
            let oldest = entries.min(by: { $0.value.lastAsked < $1.value.lastAsked })
        else { return }
        entries[oldest.key] = nil
    }
}

/// A question for a conversation's call.
struct CallLookup: Sendable {
    var conversation: String
    var asker: ConfigurationAsker
    /// The provider that the call shall go through, upper case; nil leaves it to the configuration.
    var wanted: String?
    /// Those that failed, upper case.
    var failed: Set<String> = []
}

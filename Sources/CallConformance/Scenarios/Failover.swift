import CallBridge
import MediaCore

extension ConformanceSuite {
    /// Another provider steps in.
    static let failover: [ConformanceScenario] = [
        ConformanceScenario(
            "failover",
            "When the provider named first fails, the next one on the list carries the call, and the journal says why."
        ) { stage in
            let broken = UnreachableProvider()
            let world = stage.world
            var first = try await world.descriptor(identity: "ada", room: ConformanceStage.room)
            let good = first
            first.provider = broken.kind
            var configuration = CallBridge.Configuration(
                descriptors: FixedDescriptorSource(first, others: [good]),
                providers: [ProviderRegistration(broken), ProviderRegistration(world.provider)])
            configuration.failover = .orderedList([broken.kind, world.provider.kind])
            let ada = try await stage.join("ada", configuration, subscribesAutomatically: true)
            let journal = CallJournal()
            let follower = CallFollower(
                CallScribe(CallFollower.record(ada.call.descriptor, initiator: "ada"), journal: journal),
                identity: "ada")
            follower.begin()
            await ada.call.observe { follower.note($0) }
            try stage.expect(ada.call.descriptor.provider == world.provider.kind, "the call goes nowhere else")
            let bob = try await stage.join("bob")
            try await ada.call.publish(.testTone(440))
            try await stage.until("bob hears ada") { bob.hears("ada", 440) }
            await ada.call.leave()
            try await stage.until("the journal ends") { journal.events.last?.eventType == .ended }
            let changes = journal.events.filter { $0.eventType == .providerChanged }.compactMap(\.detail)
            let wanted = "\(broken.kind) failed (unreachable), \(world.provider.kind) is next: nobody answers"
            try stage.expect(changes == [wanted], "the journal says \(changes)")
            let violations = journal.finish().violations
            try stage.expect(violations.isEmpty, "the journal breaks rules: \(violations)")
        },
        ConformanceScenario(
            "not-installed", "A provider that is wanted and not installed is named, with those that are."
        ) {
            stage in
            var descriptor = try await stage.world.descriptor(identity: "ada", room: ConformanceStage.room)
            descriptor.provider = UnreachableProvider().kind
            try await stage.expect(.providerNotInstalled, "joining through a provider that is not there") {
                _ = try await stage.join("ada", descriptor)
            }
        },
    ]
}

/// A provider whose server never answers.
private struct UnreachableProvider: CallProvider {
    let kind = ProviderKind(rawValue: "CONFORMANCE-UNREACHABLE")
    let capabilities: ProviderCapabilities = []

    func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        throw CallError(.network, .unreachable, "nobody answers")
    }
}

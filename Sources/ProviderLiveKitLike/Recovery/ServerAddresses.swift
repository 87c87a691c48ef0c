import LiveKitProtocol

/// Where the server can be reached: the address that the call was given, and those that the server named since.
struct ServerAddresses: Sendable, Hashable {
    /// More regions than any deployment has.
    static let maximumRegions = 32

    private let original: SignalTarget
    private var regions: [SignalTarget] = []
    private var position = 0

    init(_ original: SignalTarget) { self.original = original }

    /// The address for the next attempt.
    var current: SignalTarget { position < regions.count ? regions[position] : original }

    /// The server says under which other address this session is to be reached from now on; empty says nothing.
    mutating func adopt(alternative url: String) {
        guard !url.isEmpty, let target = try? SignalTarget(serverURL: url) else { return }
        regions = [target]
        position = 0
    }

    /// The server names its regions, the nearest first by distance. Addresses that can't be read are left out.
    mutating func adopt(_ settings: Livekit_RegionSettings) {
        let targets = settings.regions.prefix(Self.maximumRegions).sorted { $0.distance < $1.distance }
            .compactMap { try? SignalTarget(serverURL: $0.url) }
        guard !targets.isEmpty else { return }
        regions = targets
        position = 0
    }

    /// The present address did not answer: the next one, after the last region the original, then from the start.
    mutating func rotate() {
        guard !regions.isEmpty else { return }
        position = (position + 1) % (regions.count + 1)
    }
}

public import MediaCore

/// A provider has no such feature. `Call` turns it into a `CallError` that names the provider.
public struct FeatureUnavailable: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was asked for, as a noun.
    public let feature: String

    /// - Parameter feature: what was asked for, as a noun: "own metadata".
    public init(_ feature: String) { self.feature = feature }

    /// One sentence.
    public var description: String { "the provider has no \(feature)" }
}

/// What a provider may do beyond the needed. Each of these throws `FeatureUnavailable` unless the provider has it.
extension ProviderSession {
    /// Tracks that belong together.
    public func publish(_ tracks: [(track: LocalTrack, source: Track.Source)]) async throws -> [Track] {
        throw FeatureUnavailable("tracks that belong together")
    }

    /// Free text about ourselves, for everybody.
    public func setMetadata(_ metadata: String) async throws { throw FeatureUnavailable("own metadata") }

    /// Our name, for everybody.
    public func setName(_ name: String) async throws { throw FeatureUnavailable("change of the own name") }

    /// Key and value pairs about ourselves: those given change, an empty value takes one away.
    public func setAttributes(_ attributes: [String: String]) async throws {
        throw FeatureUnavailable("own attributes")
    }

    /// What is to be received of a remote track.
    public func setTrackSettings(_ settings: TrackSettings, trackID: String) async throws {
        throw FeatureUnavailable("settings of received tracks")
    }

    /// Where a remote video track is shown.
    public func setVideoLayout(_ layout: VideoLayout, trackID: String) async throws {
        throw FeatureUnavailable("adaptive streaming")
    }

    /// Who may receive what we publish.
    public func setSubscriptionPermissions(_ permissions: SubscriptionPermissions) async throws {
        throw FeatureUnavailable("subscription permissions")
    }
}

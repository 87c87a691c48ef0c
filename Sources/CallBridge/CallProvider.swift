import Logging
public import MediaCore

/// What a provider can do beyond plain audio and video.
public struct ProviderCapabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int
    /// From bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Video as well as audio.
    public static let video = ProviderCapabilities(rawValue: 1)
    /// Taking part without publishing.
    public static let listenOnly = ProviderCapabilities(rawValue: 2)
    /// The server reports who speaks.
    public static let serverSpeakers = ProviderCapabilities(rawValue: 4)
    /// Single tracks can be unsubscribed.
    public static let selectiveSubscription = ProviderCapabilities(rawValue: 8)
    /// Messages beside the media: data, streams, chat and remote procedure calls.
    public static let data = ProviderCapabilities(rawValue: 16)
    /// Several participants may have one identity: who joins with one that is there takes nobody's place.
    public static let sharedIdentities = ProviderCapabilities(rawValue: 32)
    /// Media is connected when there is some: before anybody publishes, no SRTP profile is agreed on.
    public static let mediaOnDemand = ProviderCapabilities(rawValue: 64)
}

/// A plug-in that carries calls over one signalling protocol.
///
/// A third party adds a provider in a package of its own by conforming to this protocol with public API alone.
public protocol CallProvider: Sendable {
    /// The name under which server configurations ask for it.
    var kind: ProviderKind { get }
    /// What it can do.
    var capabilities: ProviderCapabilities { get }

    /// Joins the call. Returns when signalling is established and the server has let us in; media may still be connecting.
    ///
    /// Throws `CallError` that says whose fault it was.
    func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession
}

/// What the bridge lends a provider.
public struct ProviderContext: Sendable {
    /// The threads that media runs on.
    public var engine: MediaEngine
    /// How media sessions are to be set up.
    public var media: MediaSessionConfiguration
    /// Whether remote tracks are subscribed as they appear.
    public var subscribesAutomatically: Bool
    /// How media follows what is looked at.
    public var streaming: StreamingOptions
    /// The clock that the call's times are read from.
    public var clock: MediaClock = .system
    /// Whose certificates signalling believes.
    public var trust = ServerTrust.system
    /// Whether participants who publish nothing are told of. In a room of hundreds of listeners, each of whom stands in this
    /// process, what all of them know of all others would grow with the square. A provider may ignore it.
    package var knowsListeners = true
    /// Where to log; tokens and keys belong below debug.
    public var logger: Logger

    /// A context from its parts.
    public init(
        engine: MediaEngine, media: MediaSessionConfiguration, subscribesAutomatically: Bool,
        streaming: StreamingOptions = .init(), logger: Logger
    ) {
        self.engine = engine
        self.media = media
        self.subscribesAutomatically = subscribesAutomatically
        self.streaming = streaming
        self.logger = logger
    }
}

/// One call as a provider carries it. The bridge is its only user.
public protocol ProviderSession: Sendable {
    /// Ourselves, as the server knows us.
    var localParticipant: Participant { get async }
    /// What happens, from the beginning: first the participants that are there already. Read once.
    var events: AsyncStream<ProviderEvent> { get }

    /// Publishes a track and returns when the server has accepted it.
    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track
    /// Takes a published track back. `id` is the provider's.
    func unpublish(trackID: String) async throws
    /// Mutes or unmutes a published track for everybody.
    func setMuted(_ muted: Bool, trackID: String) async throws
    /// Subscribes to a remote track, or no longer.
    func setSubscribed(_ subscribed: Bool, trackID: String) async throws
    /// What the media connections have counted.
    func statistics() async -> SessionStatistics
    /// Leaves in order; the event stream ends.
    func leave() async

    // Not every provider has what follows; those that lack one take the default, which throws `FeatureUnavailable`.

    /// Publishes tracks that belong together, all or none, and returns when the server has accepted them; their order stays.
    func publish(_ tracks: [(track: LocalTrack, source: Track.Source)]) async throws -> [Track]
    /// Attaches free text to ourselves and returns when the server has taken it.
    func setMetadata(_ metadata: String) async throws
    /// Changes our name and returns when the server has taken it.
    func setName(_ name: String) async throws
    /// Changes some of our key and value pairs and returns when the server has taken them; an empty value takes one away.
    func setAttributes(_ attributes: [String: String]) async throws
    /// Says what is to be received of a remote track.
    func setTrackSettings(_ settings: TrackSettings, trackID: String) async throws
    /// Says where a remote video track is shown.
    func setVideoLayout(_ layout: VideoLayout, trackID: String) async throws
    /// Says who may receive what we publish.
    func setSubscriptionPermissions(_ permissions: SubscriptionPermissions) async throws
    /// Does something to others, as a moderator.
    func moderate(_ action: Moderation) async throws
    /// Sends a message to those identities, or to everybody else where none is named.
    func send(_ message: DataMessage, to identities: [String]) async throws
    /// Begins a stream of any length.
    func openStream(_ info: DataStreamInfo, to identities: [String]) async throws -> OutgoingDataStream
    /// Sends a line of chat.
    func send(_ line: ChatLine, to identities: [String]) async throws
    /// Calls a method of a participant. Throws `RPCError`.
    func performRPC(to identity: String, method: String, payload: String, timeout: Double) async throws -> String
    /// Answers `ProviderEvent.rpcInvoked`.
    func answerRPC(_ invocation: RPCInvocation, _ result: Result<String, RPCError>) async throws
}

/// What a provider tells the bridge, in its neutral words.
public enum ProviderEvent: Sendable {
    /// Media can flow; the SRTP profile that was agreed on. Where members are connected with one another and not with a
    /// server, it is empty while there is nobody to agree with; the event comes again when there is.
    case mediaConnected(srtpProfile: String)
    /// Media or signalling was lost; the provider is trying to restore it.
    case reconnecting(ReconnectMode)
    /// Restored.
    case reconnected(ReconnectMode)
    /// Somebody is there; also for those who were there before us.
    case participantJoined(Participant)
    /// Name, metadata or attributes changed.
    case participantUpdated(Participant)
    /// Somebody is gone.
    case participantLeft(id: String, ParticipantLeftReason)
    /// A participant publishes a track.
    case trackPublished(Track, participantID: String)
    /// A published track is gone.
    case trackUnpublished(trackID: String, participantID: String)
    /// A track was muted or unmuted by its publisher, or by the server.
    case trackMuted(Bool, trackID: String, participantID: String)
    /// Media of a remote track can arrive.
    case trackSubscribed(RemoteTrack, trackID: String, participantID: String)
    /// Media of a remote track no longer arrives.
    case trackUnsubscribed(trackID: String, participantID: String)
    /// Who speaks, as the server sees it: participant id and level 0...1; nobody else.
    case speakersChanged([(participantID: String, level: Double)])
    /// How well participants are connected; only those whose quality changed.
    case connectionQuality([ParticipantQuality])
    /// The server pauses a track that we receive for want of bandwidth, or sends it again.
    case streamPaused(Bool, trackID: String, participantID: String)
    /// The server muted or unmuted a track of ours.
    case localTrackMuted(Bool, trackID: String)
    /// A track of ours is no longer published, though we did not ask for it.
    case localTrackUnpublished(trackID: String)
    /// A track of ours that was no longer published is so again, under its id.
    case localTrackPublished(Track)
    /// Somebody receives a track of ours for the first time.
    case localTrackSubscribed(trackID: String)
    /// What we may do has changed.
    case localPermissions(ParticipantPermissions)
    /// A publisher lets us receive a track, or no longer.
    case subscriptionPermission(isAllowed: Bool, trackID: String, participantID: String)
    /// A track that we asked for can't be had.
    case subscriptionFailed(trackID: String, participantID: String, detail: String)
    /// The room's description changed, or we are in another room.
    case roomUpdated(RoomInfo)
    /// A message came; nil for one that comes from no participant.
    case dataReceived(DataMessage, identity: String?)
    /// A text stream is complete.
    case textReceived(TextMessage, identity: String?)
    /// A stream begins.
    case streamOpened(IncomingDataStream, identity: String?)
    /// A line of chat came, changed or was taken back.
    case chatReceived(ChatLine, identity: String?)
    /// Somebody calls a method of ours: `answerRPC` is awaited.
    case rpcInvoked(RPCInvocation)
    /// Levels measured in the media.
    case audioLevels([ParticipantLevel])
    /// We are out of a call that goes on; `ended` follows.
    case excluded(CallExclusion)
    /// The call is over for us; nothing follows.
    case ended(CallEndReason, detail: String)
}

/// How loud somebody was for 20 ms.
public struct ParticipantLevel: Sendable, Hashable {
    /// The provider's id of the participant.
    public var participantID: String
    /// Level in -dBov, 0 (loudest) to 127 (silence), as in RFC 6464.
    public var level: Int
    /// When, on the monotonic clock.
    public var atNanoseconds: Int64

    /// A level of one participant.
    public init(participantID: String, level: Int, atNanoseconds: Int64) {
        self.participantID = participantID
        self.level = level
        self.atNanoseconds = atNanoseconds
    }
}

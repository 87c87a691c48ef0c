import ArgumentParser
import CallBridge
import Foundation
import MediaCore
import OpenTokSignalling
import ProviderLiveKitLike
import ProviderOpenTokLike

/// Which server a load test fills, and how its participants get in.
struct LoadTargetOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "The server's URL, ws://host:port or wss://host; without it that of LIVEKIT_URL.")
    var url: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("What the server of --url speaks: livekit or opentok.", valueName: "name"))
    var provider = JoinProvider.liveKitLike

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "With --provider opentok: a session to fill; may be given more than once, one for each room.",
            valueName: "id"))
    var session: [String] = []

    @OptionGroup var apiKey: APIKeyOptions

    @Flag(name: .long, help: "Use the older signalling mode with two connections.")
    var twoConnections = false

    @OptionGroup var trust: ClientTrustOptions
    @OptionGroup var connectivity: ConnectivityOptions
    @OptionGroup var srtp: SRTPOption
    @OptionGroup var encryption: EncryptionOption

    /// Where it is. Throws `ValidationError`.
    func address() throws -> String {
        provider == .openTokLike ? try ServerURL.service(url) : try ServerURL.signalling(url)
    }

    /// Throws `ValidationError` that says what does not fit together.
    func check(rooms: Int) throws {
        _ = try address()
        let (key, secret) = try apiKey.required()
        guard provider == .openTokLike else {
            guard session.isEmpty else { throw ValidationError("--session needs --provider opentok.") }
            return
        }
        guard !session.isEmpty else {
            throw ValidationError("--session is needed: the id that /session/create of the server's API gives.")
        }
        guard rooms == 1 || rooms == session.count else {
            throw ValidationError("--rooms \(rooms): there are as many rooms as --session names, \(session.count).")
        }
        guard Set(session).count == session.count else { throw ValidationError("--session names one session twice.") }
        for each in session
        where OpenTokAccess.token(key: key, secret: secret, session: each, identity: "load") == nil {
            throw ValidationError(
                "--session \(each): no token can be made for it with that key; is it of that project?")
        }
        guard try encryption.frameEncryption() == nil else {
            throw ValidationError(
                "--e2ee-key: sessions of this kind have no keys of their own; use --provider livekit.")
        }
        guard !twoConnections else { throw ValidationError("--two-connections is LiveKit's; leave it out.") }
    }

    /// What participants connect with. Throws `ValidationError`.
    func apply(to way: inout LoadWorld.Settings) throws {
        (way.key, way.secret) = try apiKey.required()
        way.url = try address()
        way.provider =
            switch provider {
            case .liveKitLike: LiveKitLikeProvider(mode: twoConnections ? .twoConnections : .automatic)
            case .openTokLike: OpenTokLikeProvider()
            }
        way.trust = try trust.trust
        way.media.dtlsBackend = srtp.dtls
        way.media.srtpBackend = srtp.srtp
        way.media.srtpProfiles = srtp.profiles
        try connectivity.apply(to: &way.media)
        // One for all: a key that everybody shares is derived once.
        way.media.frameEncryption = try encryption.frameEncryption()
    }
}

import ArgumentParser
import Foundation
import LiveKitProtocol
import OpenTokSignalling

/// `callagent token`: makes and reads access tokens.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make and read access tokens.",
        subcommands: [MintCommand.self, DecodeCommand.self])

    /// `callagent token mint`.
    struct MintCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "mint", abstract: "Make an access token that lets somebody join a room.",
            discussion: """
                EXAMPLES
                  callagent token mint --key devkey --secret-file secret.txt --room r --identity ada
                  callagent token mint --key devkey --secret ... --room r --identity tv --no-publish --ttl 3600
                  callagent token mint --key devkey --secret ... --admin
                  callagent token mint --opentok --key 100 --secret ... --session 2_MX4x... --role moderator --data name=ada

                \(ExitStatus.table)
                """)

        @OptionGroup var apiKey: APIKeyOptions
        @OptionGroup var openTok: OpenTokTokenOptions
        @Option(name: .long, parsing: .unconditional, help: "The room.")
        var room: String?
        @Option(name: .long, parsing: .unconditional, help: "Who the token is for.")
        var identity: String?
        @Option(name: .long, parsing: .unconditional, help: "A name for people.")
        var name: String?
        @Option(
            name: .long, parsing: .unconditional, help: "Seconds that the token is valid; may be negative, for tests.")
        var ttl = 21_600
        @Flag(name: .long, help: "May not publish.")
        var noPublish = false
        @Flag(name: .long, help: "May not subscribe.")
        var noSubscribe = false
        @Flag(name: .long, help: "May watch and moderate, and not join: all rooms, or the --room that is given.")
        var admin = false
        @Flag(name: .long, help: "Print JSON.")
        var json = false

        func validate() throws {
            _ = try apiKey.required()
            if try openTok.isChosen() {
                let others = [("--room", room != nil), ("--identity", identity != nil), ("--name", name != nil)]
                if let other = others.first(where: \.1) {
                    throw ValidationError("\(other.0) means nothing with --opentok: use --session, --role and --data.")
                }
                if admin { throw ValidationError("With --opentok an administrator is --role moderator.") }
                if noPublish || noSubscribe { throw ValidationError("With --opentok the --role says what is allowed.") }
                return
            }
            for (option, value) in [("--room", room), ("--identity", identity)] {
                if admin, value == nil { continue }
                guard let value else { throw ValidationError("\(option) is missing.") }
                if value.isEmpty { throw ValidationError("\(option) must not be empty.") }
            }
            guard (-Self.longest...Self.longest).contains(ttl) else {
                throw ValidationError("--ttl \(ttl): use \(-Self.longest) to \(Self.longest) seconds, ten years.")
            }
        }

        /// Seconds; a clock that counts them stays far from its end.
        private static let longest = 315_360_000

        func run() throws {
            let (key, secret) = try apiKey.required()
            let now = Int64(Date().timeIntervalSince1970)
            let token =
                if let session = openTok.session {
                    try openTok.token(of: session, key: key, secret: secret, now: now, ttl: Int64(ttl))
                } else {
                    liveKitToken(key: key, secret: secret, now: now)
                }
            if json { JSONOutput.print(["token": token]) } else { StandardOutput.line(token) }
        }

        private func liveKitToken(key: String, secret: String, now: Int64) -> String {
            var claims = TokenClaims(
                issuer: key, subject: identity ?? "", notBefore: min(now, now + Int64(ttl)), expires: now + Int64(ttl))
            claims.name = name
            var grant = VideoGrant.join(room: room ?? "")
            if admin { grant = .administration(room: room) }
            if noPublish { grant.canPublish = false }
            if noSubscribe { grant.canSubscribe = false }
            claims.video = grant
            return AccessToken.mint(claims, secret: secret)
        }
    }

    /// `callagent token decode`.
    struct DecodeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "decode", abstract: "Print what a token says; with --secret, check it too.",
            discussion: """
                EXAMPLES
                  callagent token decode eyJ... --secret-file secret.txt
                  callagent token decode --token-file token.txt

                The secret is asked for on the command line or in a file only: LIVEKIT_API_SECRET checks nothing.

                \(ExitStatus.table)
                """)

        @Argument(help: "The token; without it that of --token-file or LIVEKIT_TOKEN.")
        var token: String?
        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("A file that holds the token.", valueName: "file"))
        var tokenFile: String?
        @Option(name: .long, parsing: .unconditional, help: "The API key's secret: checks signature and times.")
        var secret: String?
        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("A file that holds the secret, instead of --secret.", valueName: "file"))
        var secretFile: String?

        /// Throws `ValidationError` where no token is given.
        private func givenToken() throws -> String {
            let setting = SecretSetting(option: "token", value: token, file: tokenFile, variable: .token)
            guard let token = try setting.resolve() else {
                throw ValidationError("Give the token, --token-file, or LIVEKIT_TOKEN.")
            }
            return token
        }

        private func givenSecret() throws -> String? {
            let setting = SecretSetting(option: "secret", value: secret, file: secretFile, variable: .apiSecret)
            return setting.isGiven ? try setting.resolve() : nil
        }

        func validate() throws {
            _ = try givenToken()
            _ = try givenSecret()
        }

        private static func explain(_ error: any Error) -> String {
            switch error as? AccessTokenError {
            case .badSignature:
                "the token's signature does not fit the secret; use the secret of the key that the token names"
            case .expired: "the token has expired; mint another one"
            case .notYetValid: "the token is not valid yet; check this machine's clock"
            default: "this is no access token: it has three parts with dots between, as `token mint` prints it"
            }
        }

        func run() throws {
            let (token, secret) = (try givenToken(), try givenSecret())
            do {
                let claims = try AccessToken.inspect(token)
                JSONOutput.print(claims)
                guard let secret else { return }
                _ = try AccessToken.verify(token, secrets: [claims.issuer: secret], now: Date().timeIntervalSince1970)
                StandardError.line("the signature and the times are valid")
            } catch {
                throw ExitStatus.Failure(status: .usage, message: Self.explain(error))
            }
        }
    }
}

extension VideoGrant {
    /// Leave to watch and moderate a room, or all of them.
    fileprivate static func administration(room: String?) -> VideoGrant {
        var grant = VideoGrant(room: room)
        grant.roomAdmin = true
        if room == nil {
            grant.roomList = true
            grant.roomCreate = true
        }
        return grant
    }
}

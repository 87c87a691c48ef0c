import ArgumentParser
import Foundation
import LiveKitProtocol

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
                  callagent token mint --key devkey --secret ... --room r --identity ada
                  callagent token mint --key devkey --secret ... --room r --identity tv --no-publish --ttl 3600
                """)

        @Option(name: .long, parsing: .unconditional, help: "The API key.")
        var key: String
        @Option(name: .long, parsing: .unconditional, help: "The API key's secret.")
        var secret: String
        @Option(name: .long, parsing: .unconditional, help: "The room.")
        var room: String
        @Option(name: .long, parsing: .unconditional, help: "Who the token is for.")
        var identity: String
        @Option(name: .long, parsing: .unconditional, help: "A name for people.")
        var name: String?
        @Option(
            name: .long, parsing: .unconditional, help: "Seconds that the token is valid; may be negative, for tests.")
        var ttl = 21_600
        @Flag(name: .long, help: "May not publish.")
        var noPublish = false
        @Flag(name: .long, help: "May not subscribe.")
        var noSubscribe = false
        @Flag(name: .long, help: "Print JSON.")
        var json = false

        func validate() throws {
            guard ![key, secret, room, identity].contains("") else {
                throw ValidationError("--key, --secret, --room and --identity must not be empty.")
            }
        }

        func run() throws {
            let now = Int64(Date().timeIntervalSince1970)
            var claims = TokenClaims(
                issuer: key, subject: identity, notBefore: min(now, now + Int64(ttl)), expires: now + Int64(ttl))
            claims.name = name
            var grant = VideoGrant.join(room: room)
            if noPublish { grant.canPublish = false }
            if noSubscribe { grant.canSubscribe = false }
            claims.video = grant
            let token = AccessToken.mint(claims, secret: secret)
            if json { JSONOutput.print(["token": token]) } else { print(token) }
        }
    }

    /// `callagent token decode`.
    struct DecodeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "decode", abstract: "Print what a token says; with --secret, check it too.",
            discussion: "EXAMPLES\n  callagent token decode eyJ... --secret ...")

        @Argument(help: "The token.")
        var token: String
        @Option(name: .long, parsing: .unconditional, help: "The API key's secret: checks signature and times.")
        var secret: String?

        private static func explain(_ error: any Error) -> String {
            switch error as? AccessTokenError {
            case .badSignature:
                "the token's signature does not fit the secret; use the secret of the key that the token names"
            case .expired: "the token has expired; mint another one"
            case .notYetValid: "the token is not valid yet; check this machine's clock"
            default:
                "this is no access token: \(error); it has three parts with dots between, as `token mint` prints it"
            }
        }

        func run() throws {
            do {
                let claims = try AccessToken.inspect(token)
                JSONOutput.print(claims)
                guard let secret else { return }
                _ = try AccessToken.verify(token, secrets: [claims.issuer: secret], now: Date().timeIntervalSince1970)
                StandardError.write("the signature and the times are valid\n")
            } catch {
                throw ExitStatus.Failure(status: .usage, message: Self.explain(error))
            }
        }
    }
}

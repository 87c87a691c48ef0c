import Foundation
import LiveKitProtocol

/// What a fuzz target does with one input: see `WireFuzzing`. The first byte chooses the reader.
///
/// This folder is also a target of the package in Fuzz/.
package enum SignallingFuzzing {
    package static func signalling(_ input: UnsafeRawBufferPointer) {
        guard let kind = input.first else { return }
        let bytes = Array(input.dropFirst())
        let text = String(decoding: bytes, as: UTF8.self)
        switch kind % 5 {
        case 0: if let request = try? SignalReading.request(binary: bytes) { check(request) }
        case 1: if let request = try? SignalReading.request(text: text) { check(request) }
        case 2: if let join = SignalReading.joinRequest(wrapped: bytes) { check(join) }
        case 3: if let join = SignalReading.joinRequest(text) { check(join) }
        default: check(token: text)
        }
    }

    /// An access token, as it comes in a URL or a header; or the claims of one, which is then signed rightly.
    package static func token(_ input: UnsafeRawBufferPointer) {
        check(token: String(decoding: input, as: UTF8.self))
        guard var claims = try? JSONDecoder().decode(TokenClaims.self, from: Data(input)) else { return }
        claims.issuer = "key"
        check(token: AccessToken.mint(claims, secret: "secret"))
    }

    private static func check(token text: String) {
        _ = try? AccessToken.inspect(text)
        guard let claims = try? AccessToken.verify(text, secrets: ["key": "secret"], now: 1_700_000_000) else { return }
        precondition(claims.issuer == "key")
    }

    /// What was read can be written, and reads the same again; maps have no order, so that only the sizes need agree.
    private static func check(_ request: Livekit_SignalRequest) {
        let again = try? SignalReading.request(binary: request.wireBytes)
        precondition(again?.wireBytes.count == request.wireBytes.count)
    }

    private static func check(_ join: Livekit_JoinRequest) {
        let again = try? Livekit_JoinRequest(wireBytes: join.wireBytes)
        precondition(again?.wireBytes.count == join.wireBytes.count)
    }
}

/// Why a client token was refused or can't be made. It never contains the token.
package enum OpenTokTokenError: Error, Hashable, CustomStringConvertible {
    case tooLong
    /// Neither three parts of a JSON web token nor `T1==` and base64.
    case notAToken
    /// A claim that is missing, or of the wrong kind.
    case claim(String)
    case unknownProject(String)
    case unsupportedAlgorithm
    case badSignature
    /// For another purpose than to connect to a session.
    case wrongScope
    case unknownRole
    case expired
    case notYetValid
    case lifetimeTooLong
    case connectionDataTooLong
    case layoutClassListTooLong
    case session(SessionIDFault)
    /// A session of another project.
    case foreignSession
    /// Not the session that is connected to.
    case otherSession

    package var description: String {
        switch self {
        case .tooLong: "token: send at most \(OpenTokToken.longest) bytes"
        case .notAToken: "token: neither a JSON web token nor one that begins with T1=="
        case .claim(let name): "token: \(name) is missing or of the wrong kind"
        case .unknownProject(let key): "token: this server has no project with the API key \(key)"
        case .unsupportedAlgorithm: "token: sign JSON web tokens with HS256"
        case .badSignature: "token: the signature does not match; sign with the secret of the project"
        case .wrongScope: "token: its scope is not session.connect"
        case .unknownRole: "token: the role is none of subscriber, publisher, publisheronly, moderator"
        case .expired: "token: it has expired; make a new one"
        case .notYetValid: "token: it was made in the future; compare the clocks"
        case .lifetimeTooLong: "token: it expires more than 30 days after it was made"
        case .connectionDataTooLong: "token: connection data has more than \(OpenTokToken.longestData) characters"
        case .layoutClassListTooLong: "token: the layout classes have more than \(OpenTokToken.longestData) characters"
        case .session(let fault): "token: \(fault)"
        case .foreignSession: "token: the session belongs to another project than the token"
        case .otherSession: "token: it is for another session; make one for this session"
        }
    }

    /// What client SDKs tell their applications.
    package var clientCode: ClientErrorCode {
        switch self {
        case .session, .otherSession: .invalidSession
        default: .authorizationFailure
        }
    }
}

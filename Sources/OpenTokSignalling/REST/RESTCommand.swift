/// What a request asks for.
package enum RESTCommand: Hashable, Sendable {
    case createSession(SessionOptions)
    /// To one connection; nil for the whole session.
    case signal(session: OpenTokSessionID, connection: String?, SignalContent)
    case stream(session: OpenTokSessionID, id: String)
    case streams(session: OpenTokSessionID)
    case setStreamClasses(session: OpenTokSessionID, [StreamClasses])
    case forceDisconnect(session: OpenTokSessionID, connection: String)
    case muteStream(session: OpenTokSessionID, stream: String)
    case forceMute(session: OpenTokSessionID, ForceMute)
    /// Tones `0`-`9`, `*`, `#` and the pause `p`, to one connection or all.
    case playDTMF(session: OpenTokSessionID, connection: String?, digits: String)
    case startArchive(ArchiveOptions)
    case stopArchive(id: String)
    case archive(id: String)
    case deleteArchive(id: String)
    case archives(ArchiveSelection)
    case addArchiveStream(id: String, stream: String, hasAudio: Bool, hasVideo: Bool)
    case removeArchiveStream(id: String, stream: String)
    case setArchiveLayout(id: String, ArchiveLayout)
}

/// The layout classes of one stream.
package struct StreamClasses: Hashable, Sendable {
    package var stream: String
    package var classes: [String]

    static let largestCount = 100

    init(_ fields: JSONFields) throws(MessageFault) {
        stream = try fields.identifier("id")
        classes = try fields.texts("layoutClassList", limit: Self.largestCount)
        guard classes.joined(separator: " ").unicodeScalars.count <= OpenTokToken.longestData else {
            throw fields.fault("layoutClassList", "more than \(OpenTokToken.longestData) characters in all")
        }
    }
}

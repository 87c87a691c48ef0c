/// Width and height of a composed archive.
package enum ArchiveResolution: String, Hashable, Sendable, CaseIterable {
    case landscape480 = "640x480"
    case landscape720 = "1280x720"
    case landscape1080 = "1920x1080"
    case portrait480 = "480x640"
    case portrait720 = "720x1280"
    case portrait1080 = "1080x1920"

    /// Pixels.
    package var size: (width: Int, height: Int) {
        switch self {
        case .landscape480: (640, 480)
        case .landscape720: (1280, 720)
        case .landscape1080: (1920, 1080)
        case .portrait480: (480, 640)
        case .portrait720: (720, 1280)
        case .portrait1080: (1080, 1920)
        }
    }
}

/// One file for all streams, or one for each.
package enum ArchiveOutputMode: String, Hashable, Sendable, CaseIterable {
    case composed, individual
}

/// Whether streams come into an archive by themselves.
package enum ArchiveStreamMode: String, Hashable, Sendable, CaseIterable {
    case auto, manual
}

/// What an archive is to be like.
package struct ArchiveOptions: Hashable, Sendable {
    static let longestName = 1024

    package var session: OpenTokSessionID
    package var name: String?
    package var hasAudio: Bool
    package var hasVideo: Bool
    package var outputMode: ArchiveOutputMode
    package var streamMode: ArchiveStreamMode
    package var resolution: ArchiveResolution?
    /// What tells archives of one session apart that run at the same time.
    package var multiArchiveTag: String?
    /// Bits per second, 100,000 to 6,000,000.
    package var maxBitrate: Int?
    /// 15 (best) to 40.
    package var quantizationParameter: Int?
    package var layout: ArchiveLayout?

    /// Those of a session that is archived without being asked.
    package init(_ session: OpenTokSessionID, _ options: SessionOptions) {
        self.session = session
        name = options.archiveName
        hasAudio = true
        hasVideo = true
        outputMode = .composed
        streamMode = .auto
        resolution = options.archiveResolution
    }

    init(_ fields: JSONFields, project: String) throws(RESTFault) {
        do throws(MessageFault) {
            session = try OpenTokSessionID(try fields.text("sessionId"), "sessionId")
            name = try fields.optionalText("name", limit: Self.longestName)
            hasAudio = try fields.optionalFlag("hasAudio") ?? true
            hasVideo = try fields.optionalFlag("hasVideo") ?? true
            outputMode = try fields.optionalWord("outputMode") ?? .composed
            streamMode = try fields.optionalWord("streamMode") ?? .auto
            resolution = try fields.optionalWord("resolution")
            multiArchiveTag = try fields.optionalText("multiArchiveTag")
            maxBitrate = try fields.optionalInteger("maxBitrate", in: 100_000...6_000_000).map { Int($0) }
            quantizationParameter = try fields.optionalInteger("quantizationParameter", in: 15...40).map { Int($0) }
            layout = nil
            if let fields = try fields.optionalObject("layout") { layout = try ArchiveLayout(fields) }
            try check(fields)
        } catch { throw RESTFault(error) }
        if fields["hasTranscription"] == true { throw .absent("transcription of archives") }
        try RESTRoute.check(session, of: project)
    }

    private func check(_ fields: JSONFields) throws(MessageFault) {
        guard hasAudio || hasVideo else { throw fields.fault("hasAudio", "with hasVideo false it must be true") }
        guard outputMode == .composed else {
            if resolution != nil { throw fields.fault("resolution", "only for outputMode composed") }
            if layout != nil { throw fields.fault("layout", "only for outputMode composed") }
            return
        }
    }
}

/// How the streams of a composed archive are arranged.
package struct ArchiveLayout: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case bestFit, custom, horizontalPresentation, pip, verticalPresentation
    }

    package var kind: Kind
    /// CSS, for `custom` alone.
    package var stylesheet: String?
    /// The arrangement while a screen is shared; with it `kind` is `bestFit`.
    package var screenShareKind: Kind?

    private static let longestStylesheet = 32 * 1024

    package init(_ kind: Kind, whileSharing screenShareKind: Kind? = nil) {
        self.kind = kind
        self.screenShareKind = screenShareKind
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        kind = try fields.word("type")
        stylesheet = try fields.optionalText("stylesheet", limit: Self.longestStylesheet)
        screenShareKind = try fields.optionalWord("screenshareType")
        guard (kind == .custom) == (stylesheet != nil) else {
            throw fields.fault("stylesheet", "send one with type custom, and with no other")
        }
        guard screenShareKind == nil || kind == .bestFit else {
            throw fields.fault("screenshareType", "only with type bestFit")
        }
    }
}

/// Which archives are listed.
package struct ArchiveSelection: Hashable, Sendable {
    package var offset: Int
    package var count: Int
    package var session: String?

    private static let largestFieldCount = 16

    init(query: String) throws(RESTFault) {
        guard let pairs = PercentEncoding.decodeForm(query, limit: Self.largestFieldCount) else {
            throw .invalid("the query can't be read; send offset, count and sessionId")
        }
        let fields = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        offset = try Self.number("offset", of: fields, in: 0...1_000_000) ?? 0
        count = try Self.number("count", of: fields, in: 0...1000) ?? 50
        session = fields["sessionId"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func number(
        _ name: String, of fields: [String: String], in range: ClosedRange<Int>
    ) throws(RESTFault) -> Int? {
        guard let text = fields[name], !text.isEmpty else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw .invalid("\(name): no whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }
}

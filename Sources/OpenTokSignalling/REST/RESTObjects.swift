/// The answer to session creation.
package struct CreatedSession: Hashable, Sendable {
    package var session: OpenTokSessionID
    package var project: String
    /// Seconds since 1970.
    package var createdAt: Int64

    package init(session: OpenTokSessionID, project: String, createdAt: Int64) {
        self.session = session
        self.project = project
        self.createdAt = createdAt
    }

    var json: JSON {
        [
            "session_id": .string(session.text), "project_id": .string(project), "partner_id": .string(project),
            "create_dt": .string(CalendarDate(seconds: createdAt).text), "session_status": .null,
            "media_server_url": "",
        ]
    }
}

/// A stream, as the REST API shows it.
package struct StreamInfo: Hashable, Sendable {
    package var id: String
    package var videoType: OpenTokVideoType
    package var name: String
    package var layoutClasses: [String]

    package init(id: String, videoType: OpenTokVideoType = .camera, name: String = "", layoutClasses: [String] = []) {
        self.id = id
        self.videoType = videoType
        self.name = name
        self.layoutClasses = layoutClasses
    }

    var json: JSON {
        [
            "id": .string(id), "videoType": .string(videoType.rawValue), "name": .string(name),
            "layoutClassList": .strings(layoutClasses),
        ]
    }
}

/// An archive, as the REST API shows it. Times are milliseconds since 1970.
package struct ArchiveInfo: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case available, expired, failed, paused, started, stopped, uploaded
    }

    package var id: String
    package var status: Status
    package var project: String
    package var options: ArchiveOptions
    package var createdAt: Int64
    /// Bytes, and whole seconds, of what is recorded.
    package var size: Int64 = 0
    package var duration: Int64 = 0
    /// Why it has stopped or failed.
    package var reason = ""
    package var url: String?

    package init(id: String, status: Status, project: String, options: ArchiveOptions, createdAt: Int64) {
        self.id = id
        self.status = status
        self.project = project
        self.options = options
        self.createdAt = createdAt
    }

    var json: JSON {
        .object([
            "id": .string(id), "status": .string(status.rawValue), "name": options.name.map(JSON.string) ?? .null,
            "sessionId": .string(options.session.text), "projectId": .string(project),
            "partnerId": Int64(project).map(JSON.integer) ?? .string(project), "createdAt": .integer(createdAt),
            "size": .integer(size), "duration": .integer(duration), "reason": .string(reason),
            "hasAudio": .bool(options.hasAudio), "hasVideo": .bool(options.hasVideo),
            "outputMode": .string(options.outputMode.rawValue), "streamMode": .string(options.streamMode.rawValue),
            "resolution": options.resolution.map { .string($0.rawValue) },
            "maxBitrate": options.maxBitrate.map { .integer(Int64($0)) },
            "quantizationParameter": options.quantizationParameter.map { .integer(Int64($0)) },
            "multiArchiveTag": options.multiArchiveTag.map(JSON.string), "url": url.map(JSON.string) ?? .null,
        ])
    }
}

extension ArchiveInfo {
    /// What an application's server is told of it.
    package var callback: JSON {
        guard case .object(let members) = json else { return json }
        return .object(members.merging(["event": "archive"]) { $1 })
    }
}

/// A date in UTC, as session creation answers it: `Fri Jan 15 08:00:00 UTC 2027`.
struct CalendarDate {
    let text: String

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// - Parameter seconds: since 1970, not before.
    init(seconds: Int64) {
        let seconds = max(0, min(seconds, 253_402_300_799))
        let day = seconds / 86_400
        // Eras of 400 years that begin on the first of March, so that a leap day is the last of its year.
        let shifted = day + 719_468
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + shifted / 146_097 * 400 + (month >= 10 ? 1 : 0)
        let time = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(Self.two).joined(separator: ":")
        text = [
            Self.days[Int(day % 7)], Self.months[Int((month + 2) % 12)], Self.two(dayOfMonth), time, "UTC",
            String(year),
        ].joined(separator: " ")
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
}

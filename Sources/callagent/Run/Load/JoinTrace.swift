import Foundation
import LoadCore
import MediaCore

/// When what happened in one join, for a trace of it.
struct JoinTimes {
    let begun: MediaTime
    /// The server has let us in: signalling is connected, and the join response is there.
    var admitted: MediaTime?
    /// ICE and DTLS are done.
    var connected: MediaTime?
    /// All tracks of ours are accepted.
    var published: MediaTime?
    /// The first packet of sound, and the first whole picture.
    var firsts: [MediaKind: MediaTime] = [:]
    /// Of the media connection.
    var setup = ConnectionSetup()

    init(begun: MediaTime) { self.begun = begun }
}

/// One join as OpenTelemetry has it: a trace of spans, as a line of OTLP's JSON form
/// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
struct JoinTrace {
    let participant: PlannedParticipant
    let times: JoinTimes
    /// When it was given up, and why; nil for a join that succeeded.
    var failure: (at: MediaTime, words: String)?

    /// The spans; the first one is the whole join.
    ///
    /// - Parameters:
    ///   - offset: nanoseconds from the monotonic clock to Unix time.
    ///   - random: gives the ids.
    func spans(offset: Int64, using random: inout some RandomNumberGenerator) -> [OTLPSpan] {
        let trace = OTLPSpan.id(bytes: 16, using: &random)
        let parts = self.parts
        let end = failure?.at ?? parts.map(\.end).max { $0.nanoseconds < $1.nanoseconds } ?? times.begun
        func span(_ name: String, _ start: MediaTime, _ end: MediaTime) -> OTLPSpan {
            OTLPSpan(
                traceId: trace, spanId: OTLPSpan.id(bytes: 8, using: &random), name: name,
                startTimeUnixNano: "\(start.nanoseconds + offset)",
                endTimeUnixNano: "\(max(start.nanoseconds, end.nanoseconds) + offset)")
        }
        var whole = span("join", times.begun, end)
        whole.attributes = [
            .init("callbridge.room", participant.room), .init("callbridge.identity", participant.identity),
        ]
        if let failure { whole.status = .init(code: 2, message: failure.words) }
        var spans = [whole]
        for part in parts {
            var child = span(part.name, part.start, part.end)
            child.parentSpanId = spans.first { $0.name == part.parent }?.spanId ?? whole.spanId
            spans.append(child)
        }
        return spans
    }

    private typealias Part = (name: String, parent: String, start: MediaTime, end: MediaTime)

    /// What has a beginning and an end; what a part belongs to comes before it.
    private var parts: [Part] {
        let setup = times.setup
        let possible = [
            ("signalling", "join", times.begun, times.admitted),
            ("media connection", "join", times.admitted, times.connected),
            ("ICE", "media connection", setup.described, setup.paired),
            ("DTLS", "media connection", setup.paired, setup.secured),
            ("publish", "join", times.admitted, times.published),
            ("first audio", "join", times.admitted, times.firsts[.audio]),
            ("first video", "join", times.admitted, times.firsts[.video]),
        ]
        return possible.compactMap { name, parent, start, end in
            guard let start, let end else { return nil }
            return (name, parent, start, end)
        }
    }

    /// A line of the file.
    func line(offset: Int64) throws -> Data {
        var random = SystemRandomNumberGenerator()
        let spans = spans(offset: offset, using: &random)
        let document = OTLPDocument(resourceSpans: [.init(scopeSpans: [.init(spans: spans)])])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(document) + Data("\n".utf8)
    }
}

/// A span as OTLP writes it.
struct OTLPSpan: Encodable {
    struct Attribute: Encodable {
        struct Value: Encodable { var stringValue: String }
        var key: String
        var value: Value

        init(_ key: String, _ value: String) {
            self.key = key
            self.value = Value(stringValue: value)
        }
    }

    struct Status: Encodable {
        /// 2 for an error.
        var code: Int
        var message: String
    }

    var traceId: String
    var spanId: String
    var parentSpanId: String?
    var name: String
    /// Of a client.
    var kind = 3
    var startTimeUnixNano: String
    var endTimeUnixNano: String
    var attributes: [Attribute] = []
    var status: Status?

    /// Lower-case hexadecimal digits.
    static func id(bytes: Int, using random: inout some RandomNumberGenerator) -> String {
        (0..<bytes).map { _ in
            let byte = UInt8.random(in: 0...255, using: &random)
            return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}

private struct OTLPDocument: Encodable {
    struct Resource: Encodable { var attributes = [OTLPSpan.Attribute("service.name", "callagent")] }
    struct Scope: Encodable { var name = "callagent load" }
    struct ScopeSpans: Encodable {
        var scope = Scope()
        var spans: [OTLPSpan]
    }
    struct ResourceSpans: Encodable {
        var resource = Resource()
        var scopeSpans: [ScopeSpans]
    }
    var resourceSpans: [ResourceSpans]
}

/// Where the traces of a load test go.
final class JoinTraces: Sendable {
    private let file: ResultFile
    /// Nanoseconds from the monotonic clock to Unix time.
    private let offset: Int64

    init(_ file: ResultFile) {
        self.file = file
        offset = Int64(Date().timeIntervalSince1970 * 1e9) - MediaClock.system.now.nanoseconds
    }

    func write(_ trace: JoinTrace) { if let line = try? trace.line(offset: offset) { file.write(line) } }
}

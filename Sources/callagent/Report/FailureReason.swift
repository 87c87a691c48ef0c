/// Why a run is not "ok", for machines: the `reasons` of `--json`. docs/reports.md says what each means and what is judged
/// by it.
enum FailureReason: String, Codable, CaseIterable {
    // Of a track that we receive.
    case notSubscribed
    case unsupportedCodec
    case nothingArrived
    case undecryptable
    case undecodable
    case framesMissing
    case damaged
    case wrongSender
    case unlikeSender
    case slowStart
    case keyFramesRequested
    case concealed
    case frozen
    // Of what we send.
    case notSent
    case forbidden
    // Of the run.
    case neverConnected
    case reconnected
    case endedEarly
    case interrupted
    case activeSpeaker
    case late
    case data
    case refused
    case device
    // Of what it writes.
    case journalRules
    case journal
    case output

    /// Whether only a file is missing: of the call itself nothing was lost.
    var isOutput: Bool { self == .journal || self == .output }
}

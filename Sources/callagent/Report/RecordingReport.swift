/// What was recorded of one participant, in files of sound and pictures.
struct RecordingReport: Codable {
    var from: String
    /// One, and more where the pictures' codec changed.
    var files: [String]
    /// Of all files.
    var bytes: Int
    var durationSeconds: Double
    /// Codecs of the tracks that have anything in them.
    var tracks: [String]
    /// What went wrong; what was written stays.
    var failure: String?
}

extension RunReport {
    /// Takes over what was recorded.
    mutating func note(_ recordings: [RecordingReport]) {
        guard !recordings.isEmpty else { return }
        self.recordings = recordings
        for failure in recordings.compactMap(\.failure) { fail(.output, "recording: \(failure)") }
    }
}

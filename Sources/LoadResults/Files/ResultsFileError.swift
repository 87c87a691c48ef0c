/// Why a file is no results file: which field, what is wrong with it, and what to do.
package struct ResultsFileError: Error, Equatable, CustomStringConvertible {
    /// `histograms.join.buckets`, `line 7`; empty for the file as a whole.
    package var place: String
    package var problem: String

    package init(place: String = "", problem: String) {
        self.place = place
        self.problem = problem
    }

    package var description: String { place.isEmpty ? problem : "\(place): \(problem)" }

    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(place: Self.path(context.codingPath + [key]), problem: "the field is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(place: Self.path(context.codingPath), problem: "the value has another type than the schema says")
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            self.init(problem: "it is no JSON object; results are what callagent load --json writes")
        case .dataCorrupted(let context):
            self.init(place: Self.path(context.codingPath), problem: context.debugDescription)
        @unknown default:
            self.init(problem: "it can't be read as results")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue.prefix(80)
            }
        }
        return path
    }
}

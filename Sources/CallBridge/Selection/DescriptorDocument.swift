import Foundation

/// The JSON document of a file or a URL: one descriptor, a list of them for one provider each, or an object of either by
/// conversation.
struct DescriptorDocument {
    /// What people call it: `the file calls.json`.
    let place: String
    let data: Data

    /// The descriptor that fits. Throws `CallError` that names the place.
    func descriptor(_ request: DescriptorRequest) throws(CallError) -> CallDescriptor {
        guard let found = try read(request.conversation)?.fitting(request) else { throw request.missing(in: place) }
        return found
    }

    /// The conversation's descriptors; nil where the document knows no such conversation.
    private func read(_ conversation: String) throws(CallError) -> [CallDescriptor]? {
        let decoder = JSONDecoder()
        if let descriptors = try? decoder.decode(DescriptorList.self, from: data) { return descriptors.all }
        do {
            return try decoder.decode([String: DescriptorList].self, from: data)[conversation]?.all
        } catch {
            throw CallError(
                .configuration, .configurationUnavailable,
                "\(place) holds no call descriptor: \(DescriptorDecoding.explain(error))")
        }
    }
}

/// One descriptor or several.
private struct DescriptorList: Decodable {
    let all: [CallDescriptor]

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        do { all = [try value.decode(CallDescriptor.self)] } catch {
            guard let list = try? value.decode([CallDescriptor].self) else { throw error }
            all = list
        }
    }
}

extension [CallDescriptor] {
    /// The first one that names the wanted provider and none that failed.
    func fitting(_ request: DescriptorRequest) -> CallDescriptor? {
        first { descriptor in
            guard request.provider == nil || request.provider == descriptor.provider else { return false }
            return !request.failures.contains { $0.provider == descriptor.provider }
        }
    }
}

extension DescriptorRequest {
    func missing(in place: String) -> CallError {
        let which = provider.map { " of the provider \($0)" } ?? (failures.isEmpty ? "" : " of another provider")
        return CallError(
            .configuration, .configurationUnavailable,
            "\(place) holds no descriptor\(which) for the conversation \"\(conversation)\"; add one")
    }
}

/// Says in one sentence what is wrong with a JSON document.
enum DescriptorDecoding {
    static func explain(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is no JSON" }
        switch error {
        case .keyNotFound(let key, _): return "\"\(key.stringValue)\" is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" has a value of another type"
        case .dataCorrupted: return "it is no valid JSON"
        @unknown default: return "it does not decode"
        }
    }
}

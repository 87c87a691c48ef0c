import Foundation

/// Where call descriptors come from.
public protocol CallDescriptorSource: Sendable {
    /// The descriptor of the conversation's call. Throws `CallError`.
    func descriptor(conversation: String, identity: String?) async throws -> CallDescriptor
}

/// One descriptor for every conversation.
public struct FixedDescriptorSource: CallDescriptorSource {
    private let descriptor: CallDescriptor

    /// Always answers `descriptor`.
    public init(_ descriptor: CallDescriptor) { self.descriptor = descriptor }

    /// The descriptor.
    public func descriptor(conversation: String, identity: String?) async throws -> CallDescriptor { descriptor }
}

/// A JSON file that holds one descriptor, or an object of descriptors by conversation. It is read at each call.
public struct FileDescriptorSource: CallDescriptorSource {
    private let path: String

    /// - Parameter path: of the JSON file.
    public init(path: String) { self.path = path }

    /// Reads the file. Throws `CallError` that names it.
    public func descriptor(conversation: String, identity: String?) async throws -> CallDescriptor {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CallError(
                .configuration, .configurationUnavailable,
                "the call descriptor file \(path) can't be read; check its path")
        }
        let decoder = JSONDecoder()
        if let single = try? decoder.decode(CallDescriptor.self, from: data) { return single }
        do {
            let all = try decoder.decode([String: CallDescriptor].self, from: data)
            if let found = all[conversation] { return found }
        } catch {
            throw CallError(
                .configuration, .configurationUnavailable,
                "the file \(path) holds no call descriptor: \(DescriptorDecoding.explain(error))")
        }
        throw CallError(
            .configuration, .configurationUnavailable,
            "the file \(path) holds no descriptor for the conversation \"\(conversation)\"; add one")
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

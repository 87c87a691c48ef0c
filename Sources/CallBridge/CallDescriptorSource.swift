import Foundation

/// Where call descriptors come from.
public protocol CallDescriptorSource: Sendable {
    /// The descriptor of the conversation's call. Throws `CallError`; also where there is none for the provider that the
    /// request names.
    func descriptor(_ request: DescriptorRequest) async throws -> CallDescriptor
}

extension CallDescriptorSource {
    /// The descriptor of the conversation's call. Throws `CallError`.
    public func descriptor(conversation: String, identity: String?) async throws -> CallDescriptor {
        try await descriptor(DescriptorRequest(conversation: conversation, identity: identity))
    }
}

/// The same descriptors for every conversation.
public struct FixedDescriptorSource: CallDescriptorSource {
    private let descriptors: [CallDescriptor]

    /// Always answers `descriptor`; or, where another provider is asked for, the one of `others` that names it.
    public init(_ descriptor: CallDescriptor, others: [CallDescriptor] = []) { descriptors = [descriptor] + others }

    /// The descriptor.
    public func descriptor(_ request: DescriptorRequest) async throws -> CallDescriptor {
        guard let found = descriptors.fitting(request) else {
            throw request.missing(in: "the list of fixed descriptors")
        }
        return found
    }
}

/// A JSON file that holds one descriptor, a list of them for one provider each, or an object of either by conversation. It
/// is read at each call.
public struct FileDescriptorSource: CallDescriptorSource {
    private let path: String

    /// - Parameter path: of the JSON file.
    public init(path: String) { self.path = path }

    /// Reads the file. Throws `CallError` that names it.
    public func descriptor(_ request: DescriptorRequest) async throws -> CallDescriptor {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CallError(
                .configuration, .configurationUnavailable,
                "the call descriptor file \(path) can't be read; check its path")
        }
        return try DescriptorDocument(place: "the file \(path)", data: data).descriptor(request)
    }
}

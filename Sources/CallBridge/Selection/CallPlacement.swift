import MediaCore

/// One attempt after the other to join a call, as the failover policy says.
struct CallPlacement {
    let source: any CallDescriptorSource
    let policy: FailoverPolicy
    let installed: [ProviderKind]
    private(set) var changes: [ProviderChange] = []

    init(source: any CallDescriptorSource, policy: FailoverPolicy, installed: [ProviderKind]) {
        self.source = source
        self.policy = policy
        self.installed = installed
    }

    /// Connects through the first provider that can. Throws the error of the only attempt, or one that names all.
    ///
    /// - Parameter first: the descriptor to begin with; nil asks the source.
    mutating func connect<Connection>(
        _ first: CallDescriptor?, _ request: DescriptorRequest,
        _ body: (CallDescriptor) async throws -> Connection
    ) async throws -> Connection {
        var request = request
        var descriptor: CallDescriptor
        if let first { descriptor = first } else { descriptor = try await source.descriptor(request) }
        while true {
            do {
                return try await body(descriptor)
            } catch let error as CallError where error.isWorthAnotherProvider && policy != .none {
                let failure = ProviderFailure(
                    provider: descriptor.provider, code: error.code, message: error.message)
                request.failures.append(failure)
                descriptor = try await another(after: request, error)
                changes.append(ProviderChange(from: failure.provider, to: descriptor.provider, failure: failure))
            }
        }
    }

    private func another(after request: DescriptorRequest, _ error: CallError) async throws(CallError) -> CallDescriptor
    {
        guard let next = policy.next(after: request, installed: installed) else { throw exhausted(request, error, nil) }
        let descriptor: CallDescriptor
        do {
            descriptor = try await source.descriptor(next)
        } catch {
            throw exhausted(request, error as? CallError ?? CallError(.network, .unreachable, "\(error)"), "\(error)")
        }
        guard !request.failures.contains(where: { $0.provider == descriptor.provider }) else {
            throw exhausted(request, error, "the configuration names \(descriptor.provider) again")
        }
        return descriptor
    }

    /// The error of an attempt that nothing follows, with what was tried before.
    private func exhausted(_ request: DescriptorRequest, _ error: CallError, _ why: String?) -> CallError {
        guard request.failures.count > 1 || why != nil else { return error }
        let attempts = request.failures.map { "\($0.provider): \($0.message)" } + [why].compactMap { $0 }
        var result = CallError(
            error.fault, error.code, "no provider could carry the call; " + attempts.joined(separator: "; "))
        result.wanted = error.wanted
        result.installed = error.installed
        result.attempts = request.failures
        return result
    }
}

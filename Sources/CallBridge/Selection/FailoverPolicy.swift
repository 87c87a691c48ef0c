/// What a bridge does when the provider that a descriptor names can't carry the call: it is not installed, does not answer,
/// refuses, or breaks its protocol. A fault of the caller or of this machine leads to no other provider.
///
/// A call that is under way never changes its provider: losing it ends the call for us, with `Call.failure`.
public enum FailoverPolicy: Sendable, Hashable {
    /// The error is thrown.
    case none
    /// The descriptor source is asked for these providers in turn; those that failed already are passed over.
    case orderedList([ProviderKind])
    /// The descriptor source is asked again and told what failed; it chooses another provider, or refuses.
    case serverReissue

    /// Asked no more often than this for one call.
    static let mostAttempts = 8

    /// What to ask next; nil where nothing is left.
    func next(after request: DescriptorRequest, installed: [ProviderKind]) -> DescriptorRequest? {
        guard request.failures.count < FailoverPolicy.mostAttempts else { return nil }
        var next = request
        switch self {
        case .none: return nil
        case .serverReissue:
            next.provider = nil
            return next
        case .orderedList(let order):
            let failed = Set(request.failures.map(\.provider))
            guard let kind = order.first(where: { !failed.contains($0) && installed.contains($0) }) else { return nil }
            next.provider = kind
            return next
        }
    }
}

extension CallError {
    /// Whether another provider may do better.
    var isWorthAnotherProvider: Bool {
        switch code {
        case .noProviderInstalled, .providerNotInstalled, .providerRefused, .providerLost, .unreachable,
            .protocolViolation:
            true
        default: false
        }
    }
}

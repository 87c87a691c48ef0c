/// What a description of the other side changed for the transport.
package struct RemoteChange: Hashable, Sendable {
    /// The first description with a transport.
    package var isFirst = false
    /// The other side has new ICE credentials.
    package var restartedICE = false

    init(from old: RemoteTransport?, to new: RemoteTransport?) {
        isFirst = old == nil && new != nil
        if let old, let new { restartedICE = old.generation != new.generation }
    }
}

public import CallBridge
public import ClientModel

/// Calls, through a bridge with its providers. Clients that register one module share its threads.
public struct CallModule: ClientModule {
    /// `call`.
    public let name = ModuleName.call
    /// The providers that it has.
    public let installed: [ProviderKind]
    package let bridge: CallBridge

    /// A module whose bridge is made from that configuration, once for all clients.
    public init(_ configuration: CallBridge.Configuration) {
        installed = configuration.providers.installed
        bridge = CallBridge(configuration: configuration)
    }

    /// Stops the bridge's threads. Clients must have been stopped.
    public func shutdown() async { await bridge.shutdown() }
}

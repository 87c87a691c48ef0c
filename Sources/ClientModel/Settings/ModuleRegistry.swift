/// What a client can do beside conversations, by modules that are registered before it is made.
public enum ModuleName: String, Sendable, Hashable, CaseIterable {
    /// Calls of sound and pictures.
    case call
    /// Sharing of the screen.
    case coBrowsing
}

/// A part of a client that an application chooses to link.
public protocol ClientModule: Sendable {
    /// What it does; one module of a name.
    var name: ModuleName { get }
}

/// The modules of a client. A client seals its copy.
public struct ModuleRegistry: Sendable {
    private var modules: [ModuleName: any ClientModule] = [:]
    private var isSealed = false

    /// No module.
    public init() {}

    /// What is registered, in the order of the alphabet.
    public var names: [ModuleName] { modules.keys.sorted { $0.rawValue < $1.rawValue } }

    /// Adds a module. Throws `ClientError` for a second one of its name, and once the client is made.
    public mutating func register(_ module: any ClientModule) throws(ClientError) {
        guard !isSealed else {
            throw ClientError(
                .moduleRegisteredLate,
                "the module \(module.name.rawValue) comes too late; register it before the client is made")
        }
        guard modules[module.name] == nil else {
            throw ClientError(
                .duplicateModule, "a module \(module.name.rawValue) is registered already; register it once")
        }
        modules[module.name] = module
    }

    /// The module of that name. Throws `ClientError` where it isn't registered.
    package func require(_ name: ModuleName, to purpose: String) throws(ClientError) -> any ClientModule {
        guard let module = modules[name] else {
            throw ClientError(
                .moduleNotRegistered,
                "can't \(purpose): the module \(name.rawValue) isn't registered; register it before the client is made")
        }
        return module
    }

    /// From now on nothing is added.
    package mutating func seal() { isSealed = true }
}

import ArgumentParser

/// `--tcp-port`: a port, 0 for one of the system's choice, or `off`.
enum MediaTCPPort: ExpressibleByArgument, Equatable {
    case off
    case port(Int)

    init?(argument: String) {
        if argument == "off" {
            self = .off
        } else if let port = UInt16(argument) {
            self = .port(Int(port))
        } else {
            return nil
        }
    }

    /// As the server's configuration has it.
    var number: Int? { if case .port(let port) = self { port } else { nil } }

    var defaultValueDescription: String { number.map(String.init) ?? "off" }
}

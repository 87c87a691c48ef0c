import Foundation
import NIOCore
import TransportSecurity

/// Why a TCP port could not be had.
struct HTTPBindError: Error, Hashable, CustomStringConvertible {
    enum Reason: Hashable {
        case inUse
        case notAllowed
        case noSuchAddress
        case noSuchPort
        case other(String)
    }

    var host: String
    var port: Int
    var reason: Reason

    init(host: String, port: Int, reason: Reason) {
        self.host = host
        self.port = port
        self.reason = reason
    }

    init(host: String, port: Int, error: any Error) {
        let reason: Reason
        switch error {
        case let error as IOError:
            switch error.errnoCode {
            case EADDRINUSE: reason = .inUse
            case EACCES, EPERM: reason = .notAllowed
            case EADDRNOTAVAIL: reason = .noSuchAddress
            default: reason = .other(SocketFault.words(error))
            }
        case is SocketAddressError: reason = .noSuchAddress
        default: reason = .other(SocketFault.words(error))
        }
        self.init(host: host, port: port, reason: reason)
    }

    /// What went wrong and what to do.
    var description: String {
        switch reason {
        case .inUse:
            "port \(port) on \(host) is in use: end the program that has it, or choose another port "
                + "(0 lets the system choose)"
        case .notAllowed: "port \(port) on \(host) is not for this user: choose one from 1024 to 65535"
        case .noSuchAddress: "\(host) is no address of this machine: choose one that is, such as 127.0.0.1"
        case .noSuchPort: "\(port) is no TCP port: choose one from 0 to 65535 (0 lets the system choose)"
        case .other(let text): "cannot listen on port \(port) on \(host): \(text)"
        }
    }
}

import Glibc
import NIOCore
import NIOSSL

/// What went wrong with a connection, in words for people: never those that a library has for itself.
package enum SocketFault {
    package static func words(_ error: any Error) -> String {
        switch error {
        case let error as TLSError: error.description
        case let error as IOError: words(errno: error.errnoCode)
        case let error as ChannelError: words(error)
        case is SocketAddressError: "its name can't be resolved"
        case is EventLoopError: "this program is ending"
        case NIOSSLError.uncleanShutdown: "the connection was closed without a goodbye"
        default: "the connection failed"
        }
    }

    /// The system's own, such as "Connection refused".
    package static func words(errno code: Int32) -> String { String(cString: strerror(code)) }

    private static func words(_ error: ChannelError) -> String {
        switch error {
        case .connectTimeout: "no answer in time"
        case .writeMessageTooLarge: "a message is too large for the network"
        case .writeHostUnreachable: "no route leads there"
        default: "the connection was closed"
        }
    }
}

import Foundation
import Synchronization

/// A TCP server on 127.0.0.1 that says one thing to everybody, and keeps the connection or closes it.
final class ScriptedListener: Sendable {
    /// What it says, and what it then does with the connection.
    enum Reply {
        case closing(String)
        case keeping(String)
    }

    /// Gives the reply to a request.
    typealias Answer = @Sendable (String) -> Reply

    let port: Int
    private let descriptor: Int32
    private let kept = Mutex<[Int32]>([])

    init(_ answer: @escaping Answer) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                var size = length
                return bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &size) == 0
            }
        }
        guard isBound, listen(descriptor, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                self?.serve(connection, answer)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
        kept.withLock { for connection in $0 { close(connection) } }
    }

    private func serve(_ connection: Int32, _ answer: Answer) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = max(0, read(connection, &bytes, bytes.count))
        switch answer(String(decoding: bytes[..<count], as: UTF8.self)) {
        case .keeping(let text):
            say(text, connection)
            kept.withLock { $0.append(connection) }
        case .closing(let text):
            say(text, connection)
            shutdown(connection, Int32(SHUT_WR))
            close(connection)
        }
    }

    private func say(_ text: String, _ connection: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
    }

    /// A whole HTTP answer with a text.
    static func http(_ status: String, _ body: String) -> Reply {
        .closing(
            "HTTP/1.1 \(status)\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        )
    }
}

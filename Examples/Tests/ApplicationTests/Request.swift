import Foundation

/// One request of HTTP/1.1 to a server on this machine.
enum Request {
    /// - Parameter head: the request line and the headers, without Host, Connection and Content-Length.
    /// - Returns: The status.
    static func send(_ head: [String], _ body: Data, port: Int) throws -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let lines = head + ["Host: 127.0.0.1:\(port)", "Connection: close", "Content-Length: \(body.count)", "", ""]
        let bytes = Array(lines.joined(separator: "\r\n").utf8) + Array(body)
        guard isConnected, Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(socket, &piece, piece.count, 0), count > 0 { answer += piece[..<count] }
        let words = String(decoding: answer, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count == 3, let status = Int(words[1]) else { throw CocoaError(.fileReadCorruptFile) }
        return status
    }
}

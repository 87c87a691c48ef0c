import Glibc

/// Ports that the kernel chooses: each participant has one of TCP and one of UDP, and one address has some 28,000 of each.
enum LocalPorts {
    /// What to say where they have run out; nil where they have not.
    static var shortage: String? {
        let kinds = [("TCP", SOCK_STREAM), ("UDP", SOCK_DGRAM)]
        guard let (name, _) = kinds.first(where: { isExhausted($0.1) }) else { return nil }
        let range = ProcessFiles.text("/proc/sys/net/ipv4/ip_local_port_range").split { $0.isWhitespace }
        let words = range.count == 2 ? ", \(range[0]) to \(range[1]) are allowed" : ""
        return "no more ports are free for \(name)\(words): widen net.ipv4.ip_local_port_range"
    }

    private static func isExhausted(_ kind: __socket_type) -> Bool {
        let descriptor = socket(AF_INET, Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return status != 0 && errno == EADDRINUSE
    }
}

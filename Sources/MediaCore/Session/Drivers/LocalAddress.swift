import Glibc

/// Finds the addresses of this machine from which a remote host is reached.
package enum LocalAddress {
    /// The addresses that the kernel would send from towards `host` (nothing is sent): one, or one of each family where the
    /// host has both and a route leads to both; 127.0.0.1 where no host is given.
    ///
    /// Throws `MediaError` that names a host that can't be resolved or reached.
    package static func reaching(_ host: String?) throws(MediaError) -> [String] {
        guard let host, !host.isEmpty else { return ["127.0.0.1"] }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, "9", &hints, &found)
        guard status == 0, let first = found else {
            if let shortage = Self.shortage(status == EAI_SYSTEM ? errno : 0) { throw shortage }
            throw MediaError(
                .environment, "host \(host)", "its name can't be resolved (\(String(cString: gai_strerror(status))))",
                remedy: "check the spelling and the name service")
        }
        defer { freeaddrinfo(first) }
        var candidate: UnsafeMutablePointer<addrinfo>? = first
        var sources: [CInt: String] = [:]
        var families: [CInt] = []
        while let info = candidate {
            let family = info.pointee.ai_family
            if sources[family] == nil, let address = try source(towards: info.pointee) {
                sources[family] = address
                families.append(family)
            }
            candidate = info.pointee.ai_next
        }
        if !families.isEmpty { return families.compactMap { sources[$0] } }
        throw MediaError(.environment, "host \(host)", "no route leads to it", remedy: "check the network")
    }

    /// Nil where an error is none of want of descriptors.
    private static func shortage(_ code: CInt) -> MediaError? {
        guard code == EMFILE || code == ENFILE else { return nil }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return code == EMFILE
            ? MediaError(
                .environment, "open files", "they have run out, this process may have \(limit.rlim_cur)",
                remedy: "raise the limit with ulimit -n")
            : MediaError(
                .environment, "open files", "those of the whole machine have run out",
                remedy: "raise the limit with sysctl fs.file-max")
    }

    private static func source(towards info: addrinfo) throws(MediaError) -> String? {
        let socket = Glibc.socket(info.ai_family, Int32(SOCK_DGRAM.rawValue), 0)
        guard socket >= 0 else {
            if let shortage = shortage(errno) { throw shortage }
            return nil
        }
        defer { Glibc.close(socket) }
        guard connect(socket, info.ai_addr, info.ai_addrlen) == 0 else { return nil }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var text = [CChar](repeating: 0, count: 256)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(socket, address, &length) == 0 else { return Int32(-1) }
                return getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            }
        }
        guard status == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

import Glibc

/// The limit of open files, which every participant's socket counts against.
enum OpenFiles {
    /// Sees to it that `count` files more can be open, as far as the system allows. Throws `BenchError` where it doesn't.
    ///
    /// - Parameter what: who needs them, for the message.
    static func require(_ count: Int, for what: String) throws {
        let wanted = rlim_t(count + open())
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if limit.rlim_cur >= wanted { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur >= wanted else {
            throw BenchError(
                "\(what) needs \(wanted) open files and may have \(limit.rlim_max): run 'ulimit -n \(wanted)' as root first"
            )
        }
    }

    private static func open() -> Int {
        guard let directory = opendir("/proc/self/fd") else { return 64 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }
}

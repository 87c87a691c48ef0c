import Glibc

/// What glibc keeps of freed memory for each thread, and counts as in use: some hundred KiB, which come and go.
enum ThreadCaches {
    private static let variable = "GLIBC_TUNABLES"
    private static let setting = "glibc.malloc.tcache_count=0"

    /// Begins this program again without them, so that heap in use is what the program holds. Returns where that is so already, or
    /// can't be done: what is measured then is right within those caches.
    static func switchOff() {
        let present = getenv(variable).map { String(cString: $0) } ?? ""
        guard !present.contains("glibc.malloc.tcache_count") else { return }
        setenv(variable, present.isEmpty ? setting : present + ":" + setting, 1)
        execv("/proc/self/exe", CommandLine.unsafeArgv)
    }
}

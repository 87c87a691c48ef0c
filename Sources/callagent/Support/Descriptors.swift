import Foundation

/// Open files: each participant needs two, and the default limit is for 500 of them.
enum Descriptors {
    /// Raises our own limit as far as we may.
    /// - Returns: the limit.
    @discardableResult static func raiseLimit() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = min(limit.rlim_max, 1 << 20)
            setrlimit(resource, &limit)
            getrlimit(resource, &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Loops and threads have some before anybody joins, and a library that gets none for them ends the process.
    ///
    /// Throws `ExitStatus.Failure` where there are too few for any run.
    static func require() throws {
        let left = raiseLimit() - ProcessFiles.openDescriptors()
        let needed = 24 + 4 * ProcessInfo.processInfo.activeProcessorCount
        guard left < needed else { return }
        throw ExitStatus.Failure(
            status: .environment,
            message:
                "\(max(0, left)) more open files are allowed, and a run needs about \(needed): raise the limit with ulimit -n"
        )
    }

    /// What to say where they have run out; nil where they have not.
    static var shortage: String? {
        // Nothing can be listed where nothing can be opened.
        let (limit, open) = (raiseLimit(), ProcessFiles.openDescriptors())
        guard open == 0 || open + 8 >= limit else { return nil }
        return "open files have run out, \(limit) are allowed: raise the limit with ulimit -n"
    }

    /// Of a run: two for each participant, three with two connections, and some for everything else.
    static func needed(for participants: Int, twoConnections: Bool) -> Int {
        participants * (twoConnections ? 3 : 2) + 64
    }
}

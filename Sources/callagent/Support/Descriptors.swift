import Foundation
import Synchronization

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

    /// None is left for anybody else.
    struct Shortage: Error, CustomStringConvertible {
        let limit: Int

        var description: String {
            "open files have run out, \(limit) are allowed: raise the limit with ulimit -n"
        }
    }

    /// What to say where they have run out; nil where they have not.
    static var shortage: String? {
        // Nothing can be listed where nothing can be opened.
        let (limit, open) = (raiseLimit(), ProcessFiles.openDescriptors())
        return open == 0 || open + spare >= limit ? Shortage(limit: limit).description : nil
    }

    // MARK: While participants come

    /// What is left to others: Dispatch opens a file each second to count its threads, and ends the process where it can't.
    private static let spare = 8
    /// What a participant opens while it comes, a look-up of names included.
    private static let each = 4
    /// So far from the limit nothing is counted.
    private static let far = 64
    /// Participants that are on their way in, and the highest descriptor that was handed out.
    private static let coming = Mutex((count: 0, highest: 0))

    /// Sets what one more participant needs aside, until `settle`.
    static func reserve() throws(Shortage) {
        let limit = raiseLimit()
        let next = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if next >= 0 { close(next) }
        let (count, highest) = coming.withLock { coming in
            coming.count += 1
            coming.highest = max(coming.highest, Int(next))
            return (coming.count, coming.highest)
        }
        let wanted = count * each + spare
        guard next < 0 || highest + wanted + far >= limit else { return }
        guard next < 0 || ProcessFiles.openDescriptors() + wanted > limit else { return }
        settle()
        throw Shortage(limit: limit)
    }

    /// A participant has what it needs, or gets nothing.
    static func settle() { coming.withLock { $0.count -= 1 } }

    /// Of a run: two for each participant, three with two connections, and some for everything else.
    static func needed(for participants: Int, twoConnections: Bool) -> Int {
        participants * (twoConnections ? 3 : 2) + 64
    }
}

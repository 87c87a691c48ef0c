import Glibc

/// Which certificates a client believes: those that a root of the system vouches for, and those of a file of one's own.
package struct TLSTrust: Sendable, Hashable {
    /// A file of PEM certificates that are believed besides the system's roots.
    package var rootsFile: String?

    package init(rootsFile: String?) { self.rootsFile = rootsFile }

    /// The system's roots, and those of the file that the environment names in CALLBRIDGE_CA_FILE.
    package static var environment: TLSTrust {
        TLSTrust(rootsFile: getenv("CALLBRIDGE_CA_FILE").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 })
    }
}

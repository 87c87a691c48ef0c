/// Why a preference can't be read or kept. The description names the folder or file and the remedy.
public struct PreferenceFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, for programs.
    public enum Kind: Sendable, Hashable {
        /// The name has other characters than letters of ASCII, digits, `.`, `_` and `-`, begins with a dot, or is too long.
        case name
        /// The folder or a file in it can't be read or written.
        case storage
        /// The disk is full.
        case noSpace
        /// The value was sealed with another key, was changed, or is another name's.
        case notAuthentic
        /// The value has more than `FilePreferenceStore.longest` bytes.
        case tooLong
    }

    /// What is wrong.
    public let kind: Kind
    /// One sentence.
    public let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// Small values that outlive the process: what identifies a device to the service, keys, what waits to be sent.
///
/// An application may put a store of its own in place of ours. Names have 1 to 64 letters of ASCII, digits, `.`, `_` and `-`.
public protocol PreferenceStore: Sendable {
    /// The value of a name; nil where there is none. Throws `PreferenceFault`.
    func value(_ name: String) throws -> [UInt8]?

    /// Reads, changes and keeps a value while nobody else does, in this process or in another; nil removes it. What has
    /// returned outlives a kill. What `change` throws leaves the value as it was.
    func update<Result>(_ name: String, _ change: (inout [UInt8]?) throws -> Result) throws -> Result
}

extension PreferenceStore {
    /// Keeps a value, whatever was there; nil removes it. Throws `PreferenceFault`.
    public func set(_ value: [UInt8]?, _ name: String) throws { try update(name) { $0 = value } }
}

/// Names of preferences are names of files: nothing in them leads elsewhere.
enum PreferenceName {
    static func check(_ name: String) throws(PreferenceFault) {
        let isFit = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard (1...64).contains(name.utf8.count), isFit, !name.hasPrefix(".") else {
            throw PreferenceFault(
                .name, "a preference's name has 1 to 64 letters of ASCII, digits, \".\", \"_\" and \"-\", no dot first")
        }
    }
}

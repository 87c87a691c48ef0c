import RTCWire

/// A simulated network as a person writes it, for `--network` and wherever else one is chosen:
/// `3g`, `loss=5,delay=20`, `4g,up.rate=300,seed=7`, `trace=walk.trace,delay=20`.
package struct NetworkProfile: Sendable, Hashable {
    /// From a participant to the server.
    package var up = LinkProfile()
    /// From the server to a participant.
    package var down = LinkProfile()
    /// Milliseconds after which the participant's address changes, again and again, as behind a NAT that forgets; 0 for never.
    package var rebind = 0.0
    /// Seed of everything random.
    package var seed: UInt64 = 1

    /// A network that changes nothing.
    package init() {}

    /// The same in both directions.
    package init(_ link: LinkProfile, seed: UInt64 = 1) {
        (up, down) = (link, link)
        self.seed = seed
    }

    /// Reads a profile's name, `name=value` pairs, or both, separated by commas; what stands later goes on from the profile.
    ///
    /// - Parameter read: the content of a trace file. Without it traces are refused.
    package init(
        parsing text: String, reading read: (String) throws(NetworkProfileError) -> [UInt8] = NetworkProfile.noFiles
    ) throws(NetworkProfileError) {
        self = try NetworkProfileReader(text).profile(read)
    }

    /// Refuses every file.
    package static func noFiles(_ name: String) throws(NetworkProfileError) -> [UInt8] {
        throw .file(name, "no trace can be read here")
    }

    /// The names that `init(parsing:)` knows.
    package static var names: [String] {
        LinkProfile.fields.map(\.name) + ["blackout", "trace", "rebind", "seed"]
    }

    /// Longest stay of a datagram that is not lost, in milliseconds, one way.
    package var longestDelay: Double { max(up.longestDelay, down.longestDelay) }
}

extension NetworkProfile: CustomStringConvertible {
    /// Pairs that read as this profile again; traces are left out, for their files are not known any more.
    package var description: String {
        let pairs: [String]
        if up == down {
            pairs = up.pairs("")
        } else {
            pairs = up.pairs("up.") + down.pairs("down.")
        }
        return (pairs + (rebind > 0 ? ["rebind=\(rebind.short)"] : []) + ["seed=\(seed)"]).joined(separator: ",")
    }
}

extension LinkProfile {
    /// Pairs for what is not as it would be without them.
    func pairs(_ prefix: String) -> [String] {
        let standard = LinkProfile()
        var pairs = Self.fields.filter { self[keyPath: $0.path] != standard[keyPath: $0.path] }.map {
            "\(prefix)\($0.name)=\(self[keyPath: $0.path].short)"
        }
        if !blackouts.isEmpty {
            pairs.append("\(prefix)blackout=" + blackouts.map(\.text).joined(separator: "+"))
        }
        return pairs
    }
}

extension NetworkOutage {
    fileprivate var text: String {
        "\(length.milliseconds.short)@\(start.milliseconds.short)" + (period.map { "/\($0.milliseconds.short)" } ?? "")
    }
}

extension Double {
    /// Without a fraction where there is none.
    fileprivate var short: String { self == rounded() && magnitude < 1e15 ? String(Int(self)) : String(self) }
}

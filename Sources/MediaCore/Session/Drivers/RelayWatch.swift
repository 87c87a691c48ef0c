/// Which TURN servers a session counts on. A value.
struct RelayWatch {
    /// More than any deployment names.
    static let maximumServers = 8
    /// Names that are being looked up.
    private var lookups = 0
    /// Servers that were asked and have not failed, with their URLs.
    private var asked: [String: String] = [:]
    private var failures: [String] = []
    private var isTold = false
    /// Every server that there is to be has been named.
    var isComplete = false

    mutating func beginLookup() {
        lookups += 1
        isTold = false
    }

    /// URLs of the servers that were asked and have not failed.
    var awaited: [String] { asked.values.sorted() }

    /// A name has an address; false where that server is known already, or there are too many.
    ///
    /// - Parameter url: what people call the server.
    mutating func found(_ key: String, url: String? = nil) -> Bool {
        lookups -= 1
        guard asked.count < RelayWatch.maximumServers, asked[key] == nil else { return false }
        asked[key] = url ?? key
        return true
    }

    mutating func lookupFailed(_ why: String) {
        lookups -= 1
        note(why)
    }

    mutating func failed(_ key: String, _ why: String) {
        asked[key] = nil
        note(why)
    }

    private mutating func note(_ why: String) {
        if !failures.contains(why) { failures.append(why) }
    }

    /// The servers are asked again, from another address.
    mutating func forgetAnswers() {
        asked.removeAll()
        failures.removeAll()
        isTold = false
    }

    /// Why there will be no relay, once; nil while there may be one.
    mutating func verdict() -> String? {
        guard isComplete, !isTold, lookups == 0, asked.isEmpty else { return nil }
        isTold = true
        defer { failures.removeAll() }
        guard !failures.isEmpty else {
            return
                "only relayed candidates may be used, and no usable TURN server is named; name one, or allow all candidates"
        }
        return "only relayed candidates may be used, and there is no relay: \(failures.joined(separator: "; "))"
    }
}

/// The parts of a description that a trace can be compared by.
struct TraceDescription {
    var session: [String]
    var sections: [[String]]

    init(_ sdp: String) {
        let lines = sdp.split(whereSeparator: \.isNewline).map(String.init)
        let first = lines.firstIndex { $0.hasPrefix("m=") } ?? lines.count
        session = Array(lines[..<first])
        sections = []
        for line in lines[first...] {
            if line.hasPrefix("m=") { sections.append([]) }
            sections[sections.count - 1].append(line)
        }
    }

    var sdp: String { (session + sections.joined()).map { $0 + "\r\n" }.joined() }

    static let directions = ["a=sendrecv", "a=sendonly", "a=recvonly", "a=inactive"]

    static func value(_ name: String, in section: [String]) -> String? {
        section.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    }

    static func direction(_ section: [String]) -> String {
        section.first { directions.contains($0) }.map { String($0.dropFirst(2)) } ?? "sendrecv"
    }

    /// What is compared: kinds, mids, directions, streams, simulcast, DTLS roles. Everything else (codecs, header
    /// extensions, ICE, DTLS, SCTP parameters) is each stack's own.
    func fields(_ path: String, isLayerOrderFree: Bool) -> [String: String] {
        var fields: [String: String] = [:]
        fields["\(path).bundle"] = Self.value("a=group:BUNDLE ", in: session) ?? ""
        for (index, section) in sections.enumerated() {
            let place = "\(path)[\(index)]"
            fields["\(place).kind"] = section[0].dropFirst(2).split(separator: " ").first.map(String.init) ?? ""
            fields["\(place).mid"] = Self.value("a=mid:", in: section) ?? ""
            fields["\(place).direction"] = Self.direction(section)
            fields["\(place).setup"] = Self.value("a=setup:", in: section) ?? ""
            if let stream = Self.value("a=msid:", in: section) { fields["\(place).msid"] = stream }
            var rids = section.filter { $0.hasPrefix("a=rid:") }.map { $0.split(separator: ";")[0].dropFirst(6) }
            var streams = Self.value("a=simulcast:", in: section)
            if isLayerOrderFree {
                rids.sort()
                streams = streams.map { text in
                    let halves = text.split(separator: " ")
                    return halves[0] + " " + halves[1].split(separator: ";").sorted().joined(separator: ";")
                }
            }
            if !rids.isEmpty { fields["\(place).rids"] = rids.joined(separator: ", ") }
            if let streams { fields["\(place).simulcast"] = streams }
        }
        return fields
    }

    // MARK: The listed transformations of what the server says

    /// An answer that fits our offer (`self`, by a live peer), with what the recorded one says of each section: direction,
    /// stream, simulcast.
    func directed(as recorded: TraceDescription) -> TraceDescription {
        var result = self
        for (index, section) in sections.enumerated() {
            guard let mid = Self.value("a=mid:", in: section),
                let wanted = recorded.sections.first(where: { Self.value("a=mid:", in: $0) == mid })
            else { continue }
            let replaced = ["a=msid:", "a=rid:", "a=simulcast:"]
            let isReplaced = { (line: String) in
                Self.directions.contains(line) || replaced.contains { line.hasPrefix($0) }
            }
            result.sections[index].removeAll(where: isReplaced)
            result.sections[index] += wanted.filter(isReplaced)
        }
        return result
    }

    /// The recorded offer over a live peer's connection: its ICE credentials and its fingerprint.
    func carried(by live: TraceDescription) -> TraceDescription {
        let names = ["a=ice-ufrag:", "a=ice-pwd:", "a=fingerprint:"]
        let lines = live.session + live.sections.joined()
        let replace = { (line: String) -> String in
            guard let name = names.first(where: { line.hasPrefix($0) }) else { return line }
            return lines.first { $0.hasPrefix(name) } ?? line
        }
        var result = self
        result.session = session.map(replace)
        result.sections = sections.map { $0.map(replace).filter { !$0.hasPrefix("a=candidate:") } }
        return result
    }

    /// Only the first section: what a peer that offered one takes of an answer to more.
    var first: TraceDescription {
        var result = self
        result.sections = Array(sections.prefix(1))
        let mid = sections.first.flatMap { Self.value("a=mid:", in: $0) } ?? "0"
        result.session = session.map { $0.hasPrefix("a=group:BUNDLE") ? "a=group:BUNDLE \(mid)" : $0 }
        return result
    }
}

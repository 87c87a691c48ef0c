extension String {
    var trimmed: String {
        var rest = Substring(self)
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }

    func range(of needle: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
            start = index(after: start)
        }
        return nil
    }

    func replacing(_ needle: String, by text: String) -> String {
        guard let range = range(of: needle) else { return self }
        return self[..<range.lowerBound] + text + String(self[range.upperBound...]).replacing(needle, by: text)
    }
}

extension String {
    var trimmed: String {
        var rest = Substring(self)
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }

    func range(of needle: String) -> Range<String.Index>? { self[...].range(of: needle) }

    func replacing(_ needle: String, by text: String) -> String {
        var result = ""
        var rest = self[...]
        while let found = rest.range(of: needle) {
            result += rest[..<found.lowerBound]
            result += text
            rest = rest[found.upperBound...]
        }
        return result + rest
    }
}

extension Substring {
    fileprivate func range(of needle: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
            start = index(after: start)
        }
        return nil
    }
}

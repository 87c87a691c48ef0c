/// Times as ranges that are sorted and don't touch, in milliseconds.
package struct Intervals: Sendable, Hashable {
    package private(set) var ranges: [Range<Int>] = []

    package init() {}
    package init(_ range: Range<Int>) { if !range.isEmpty { ranges = [range] } }
    package init(_ ranges: [Range<Int>]) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = self.ranges.last, range.lowerBound <= last.upperBound {
                let end = max(last.upperBound, range.upperBound)
                self.ranges[self.ranges.count - 1] = last.lowerBound..<end
            } else {
                self.ranges.append(range)
            }
        }
    }

    package var isEmpty: Bool { ranges.isEmpty }
    package var length: Int { ranges.reduce(0) { $0 + $1.count } }

    package func intersection(_ other: Intervals) -> Intervals {
        var result = Intervals()
        var (i, j) = (0, 0)
        while i < ranges.count, j < other.ranges.count {
            let common = ranges[i].clamped(to: other.ranges[j])
            if !common.isEmpty { result.ranges.append(common) }
            if ranges[i].upperBound < other.ranges[j].upperBound { i += 1 } else { j += 1 }
        }
        return result
    }

    /// Each range begins so much later; those that are shorter are gone.
    package func delayed(by milliseconds: Int) -> Intervals {
        var result = Intervals()
        result.ranges = ranges.compactMap { range in
            let start = range.lowerBound + milliseconds
            return start < range.upperBound ? start..<range.upperBound : nil
        }
        return result
    }

    /// Indices of slices that lie wholly within: slice k is from k times the length to k + 1 times.
    package func slices(of length: Int) -> [Int] {
        ranges.flatMap { range in
            let first = (range.lowerBound + length - 1) / length
            let end = range.upperBound / length
            return first < end ? Array(first..<end) : []
        }
    }
}

/// A pattern as instructions for a machine that is in many states at a time: its time is the product of program and URL,
/// whatever the pattern (K. Thompson, "Regular Expression Search Algorithm", 1968).
struct PatternProgram: Sendable, Hashable {
    enum Instruction: Sendable, Hashable {
        case bytes(ByteSet)
        case split(Int, Int)
        case jump(Int)
        case match
    }

    /// Instructions of one pattern.
    static let longest = 1_024

    private(set) var instructions: [Instruction] = []
    private var work = 0

    init(_ node: PatternNode) throws(PatternFault) {
        try emit(node)
        try append(.match)
    }

    private mutating func append(_ instruction: Instruction) throws(PatternFault) {
        guard instructions.count < Self.longest else { throw .tooLarge }
        instructions.append(instruction)
    }

    private mutating func emit(_ node: PatternNode) throws(PatternFault) {
        // Repetitions of nothing emit nothing, and would take for ever.
        work += 1
        guard work <= 8 * Self.longest else { throw .tooLarge }
        switch node {
        case .empty: break
        case .bytes(let set): try append(.bytes(set))
        case .sequence(let nodes): for node in nodes { try emit(node) }
        case .choice(let ways): try emit(choice: ways[...])
        case .repeated(let inner, let least, let most):
            for _ in 0..<least { try emit(inner) }
            guard let most else { return try emit(anyNumberOf: inner) }
            try emit(inner, atMost: most - least)
        }
    }

    private mutating func emit(choice ways: ArraySlice<PatternNode>) throws(PatternFault) {
        var ends: [Int] = []
        for (index, way) in ways.enumerated() {
            guard index < ways.count - 1 else {
                try emit(way)
                break
            }
            let split = instructions.count
            try append(.split(split + 1, 0))
            try emit(way)
            ends.append(instructions.count)
            try append(.jump(0))
            instructions[split] = .split(split + 1, instructions.count)
        }
        for end in ends { instructions[end] = .jump(instructions.count) }
    }

    private mutating func emit(anyNumberOf inner: PatternNode) throws(PatternFault) {
        let split = instructions.count
        try append(.split(split + 1, 0))
        try emit(inner)
        try append(.jump(split))
        instructions[split] = .split(split + 1, instructions.count)
    }

    private mutating func emit(_ inner: PatternNode, atMost count: Int) throws(PatternFault) {
        var splits: [Int] = []
        for _ in 0..<max(0, count) {
            splits.append(instructions.count)
            try append(.split(instructions.count + 1, 0))
            try emit(inner)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }

    /// Whether all of `text` fits.
    ///
    /// - Parameter wall: an index that only an instruction for that one byte passes; see `URLPattern`.
    func matches(_ text: [UInt8], wall: Int?) -> Bool {
        var current = StateSet(instructions.count)
        var following = current
        current.add(0, instructions)
        for (index, byte) in text.enumerated() {
            following.removeAll()
            for state in current.members {
                guard case .bytes(let set) = instructions[state], set.contains(byte) else { continue }
                if index == wall, set.single == nil { continue }
                following.add(state + 1, instructions)
            }
            swap(&current, &following)
            if current.members.isEmpty { return false }
        }
        return current.members.contains { instructions[$0] == .match }
    }
}

/// States that the machine is in, each once.
private struct StateSet {
    private(set) var members: [Int] = []
    private var isMember: [Bool]
    private var waiting: [Int] = []

    init(_ count: Int) { isMember = Array(repeating: false, count: count) }

    mutating func removeAll() {
        for member in members { isMember[member] = false }
        members.removeAll(keepingCapacity: true)
    }

    /// Adds a state and all that are reached from it without a byte.
    mutating func add(_ state: Int, _ instructions: [PatternProgram.Instruction]) {
        waiting.append(state)
        while let state = waiting.popLast() {
            guard !isMember[state] else { continue }
            isMember[state] = true
            members.append(state)
            switch instructions[state] {
            case .jump(let target): waiting.append(target)
            case .split(let first, let second): waiting += [second, first]
            case .bytes, .match: break
            }
        }
    }
}

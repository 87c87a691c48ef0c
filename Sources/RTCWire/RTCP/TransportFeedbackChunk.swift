/// What a status chunk says of one packet, draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1.1.
enum TransportFeedbackSymbol: UInt8, Sendable {
    case lost = 0
    /// Received, with a delta of one byte, 0...255 ticks.
    case small = 1
    /// Received, with a signed delta of two bytes.
    case large = 2

    var deltaLength: Int { Int(rawValue) }
}

extension TransportFeedback.Status {
    var symbol: TransportFeedbackSymbol {
        switch self {
        case .lost: .lost
        case .received(let delta): (0...255).contains(delta) ? .small : .large
        }
    }
}

extension TransportFeedback.Run {
    /// Bytes of deltas.
    var deltaLength: Int {
        switch self {
        case .lost: 0
        case .received(let delta): TransportFeedback.Status.received(delta: delta).symbol.deltaLength
        }
    }
}

/// A packet status chunk, draft-holmer-rmcat-transport-wide-cc-extensions-01 sections 3.1.3 and 3.1.4: a run of up to
/// 8,191 equal symbols, 14 symbols of one bit (lost, small), or 7 symbols of two bits.
///
/// ```
///   0                   1             0                   1             0                   1
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |0| S |       run length        | |1|0|       14 symbols          | |1|1|        7 symbols          |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
struct TransportFeedbackChunk: Hashable, Sendable {
    /// Equal symbols that follow each other.
    struct Symbols: Hashable, Sendable {
        var symbol: TransportFeedbackSymbol
        var count: Int
    }

    let bits: UInt16

    private static let longestRun = 0x1fff

    init(_ bits: UInt16) { self.bits = bits }

    /// Appends the symbols of at most `limit` packets: what stands behind the last packet is filling.
    func append(to symbols: inout [Symbols], limit: Int) throws(WireError) {
        if bits & 0x8000 == 0 {
            let symbol = try TransportFeedbackChunk.symbol(bits >> 13 & 3)
            let run = Int(bits & 0x1fff)
            // Without this a chunk of nothing would be read as progress.
            guard run > 0 else { throw .invalidValue }
            symbols.append(Symbols(symbol: symbol, count: min(run, limit)))
            return
        }
        let width = bits & 0x4000 == 0 ? 1 : 2
        for index in 0..<min(14 / width, limit) {
            let shift = UInt16(14 - width * (index + 1))
            let symbol = try TransportFeedbackChunk.symbol(bits >> shift & (width == 1 ? 1 : 3))
            symbols.append(Symbols(symbol: symbol, count: 1))
        }
    }

    private static func symbol(_ value: UInt16) throws(WireError) -> TransportFeedbackSymbol {
        guard let symbol = TransportFeedbackSymbol(rawValue: UInt8(truncatingIfNeeded: value)) else {
            throw .invalidValue
        }
        return symbol
    }

    /// The chunk that says most about the beginning of `statuses`, which isn't empty, and of how many it does.
    static func covering(_ statuses: ArraySlice<TransportFeedback.Status>) -> (TransportFeedbackChunk, count: Int) {
        let first = statuses[statuses.startIndex].symbol
        let run = statuses.prefix(longestRun).prefix { $0.symbol == first }.count
        // A vector is always read whole, but for the last one.
        let narrow = statuses.prefix(14).contains { $0.symbol == .large } ? 0 : min(statuses.count, 14)
        let wide = min(statuses.count, 7)
        if run >= max(narrow, wide) {
            return (TransportFeedbackChunk(UInt16(first.rawValue) << 13 | UInt16(run)), run)
        }
        if narrow >= wide { return (vector(statuses.prefix(narrow), width: 1), narrow) }
        return (vector(statuses.prefix(wide), width: 2), wide)
    }

    private static func vector(
        _ statuses: ArraySlice<TransportFeedback.Status>, width: Int
    ) -> TransportFeedbackChunk {
        var bits: UInt16 = width == 1 ? 0x8000 : 0xc000
        for (index, status) in statuses.enumerated() {
            bits |= UInt16(status.symbol.rawValue) << UInt16(14 - width * (index + 1))
        }
        return TransportFeedbackChunk(bits)
    }
}

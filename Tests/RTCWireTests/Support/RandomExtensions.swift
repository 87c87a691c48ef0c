import RTCWire

extension RTPExtensionMap {
    /// Distinct identifiers for all kinds, some of them beyond the one-byte form.
    static func random(using generator: inout SeededGenerator) -> RTPExtensionMap {
        let highest: UInt8 = Bool.random(using: &generator) ? 20 : 255
        var ids = Array(1...highest).shuffled(using: &generator)
        var map = RTPExtensionMap()
        map.allowsMixed = .random(using: &generator)
        for kind in RTPExtensionKind.allCases { map.set(ids.removeLast(), kind) }
        return map
    }
}

extension RTPExtensions {
    /// Each value with even odds.
    static func random(using generator: inout SeededGenerator) -> RTPExtensions {
        var e = RTPExtensions()
        func maybe<T>(_ value: (inout SeededGenerator) -> T) -> T? {
            Bool.random(using: &generator) ? value(&generator) : nil
        }
        e.mid = maybe { ShortToken.random(using: &$0) } ?? nil
        e.rid = maybe { ShortToken.random(using: &$0) } ?? nil
        e.repairedRid = maybe { ShortToken.random(using: &$0) } ?? nil
        e.audioLevel = maybe { AudioLevel(level: .random(in: 0...127, using: &$0), voice: .random(using: &$0)) }
        e.absSendTime = maybe { .random(in: 0...0xff_ffff, using: &$0) }
        e.transportSequenceNumber = maybe { .random(in: 0 ... .max, using: &$0) }
        e.absCaptureTime = maybe {
            AbsoluteCaptureTime(
                ntp: .random(in: 0 ... .max, using: &$0),
                clockOffset: Bool.random(using: &$0) ? .random(in: .min ... .max, using: &$0) : nil)
        }
        e.playoutDelay = maybe {
            PlayoutDelay(minimum: .random(in: 0...4095, using: &$0), maximum: .random(in: 0...4095, using: &$0))
        }
        e.videoOrientation = maybe { .random(in: 0...255, using: &$0) }
        e.transmissionOffset = maybe { .random(in: -0x80_0000...0x7f_ffff, using: &$0) }
        return e
    }

    /// What a session with this map can carry: nothing with an identifier above 14 unless forms may be mixed.
    func sendable(by map: RTPExtensionMap) -> RTPExtensions {
        func fits(_ kind: RTPExtensionKind) -> Bool { map.allowsMixed || map.id(for: kind) <= 14 }
        var e = self
        if !fits(.mid) { e.mid = nil }
        if !fits(.rid) { e.rid = nil }
        if !fits(.repairedRid) { e.repairedRid = nil }
        if !fits(.audioLevel) { e.audioLevel = nil }
        if !fits(.absSendTime) { e.absSendTime = nil }
        if !fits(.transportSequenceNumber) { e.transportSequenceNumber = nil }
        if !fits(.absCaptureTime) { e.absCaptureTime = nil }
        if !fits(.playoutDelay) { e.playoutDelay = nil }
        if !fits(.videoOrientation) { e.videoOrientation = nil }
        if !fits(.transmissionOffset) { e.transmissionOffset = nil }
        return e
    }
}

extension ShortToken {
    static func random(using generator: inout SeededGenerator) -> ShortToken? {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
        let count = Int.random(in: 1...capacity, using: &generator)
        return ShortToken(String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "a" }))
    }
}

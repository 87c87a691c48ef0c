import Testing

@testable import RTCWire

@Suite struct SDPMutationTests {
    /// Damages real descriptions in every way text can be damaged; whatever still parses must be writable and readable.
    @Test func damagedDescriptionsNeverTrap() throws {
        let originals = try SDPVectors.names.map { try SDPVectors.bytes($0) }.filter { $0.count < 1600 }
        #expect(originals.count > 20)
        var random = SDPRandom(state: 0x5D9_0001)
        var parsed = 0
        for round in 0..<10_000 {
            let bytes = SDPMutation.damage(originals[round % originals.count], &random)
            guard let session = try? SDPSession(parsing: bytes) else { continue }
            parsed += 1
            guard round % 8 == 0 else { continue }
            SDPMutation.readEverything(session)
            #expect(try SDPSession(parsing: session.description) == session)
        }
        #expect(parsed > 1000)
    }
}

enum SDPMutation {
    static func damage(_ original: [UInt8], _ random: inout SDPRandom) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let at = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, at + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[at] = UInt8.random(in: .min ... .max, using: &random)
            case 1: bytes.removeSubrange(at..<end)
            case 2: bytes.insert(contentsOf: bytes[at..<end], at: at)
            case 3: bytes.replaceSubrange(at..<end, with: Array("99999999999999999999".utf8))
            case 4: bytes.insert([0x20, 0x3A, 0x3B, 0x2F, 0x0D, 0x0A, 0x3D].randomElement(using: &random) ?? 0, at: at)
            default: bytes.removeLast(bytes.count - end)
            }
        }
        return bytes
    }

    static func readEverything(_ session: SDPSession) {
        _ = (session.origin, session.groups, session.bundle, session.fingerprints, session.iceLite)
        for section in session.media {
            _ = (section.mid, section.direction, section.rtpmaps, section.formatParameters, section.rtcpFeedback)
            _ = (section.extmaps, section.msids, section.ssrcs, section.ssrcGroups, section.rids, section.simulcast)
            _ = (section.candidates.map(\.address), section.sctpPort, section.fingerprints, section.setup)
        }
    }
}

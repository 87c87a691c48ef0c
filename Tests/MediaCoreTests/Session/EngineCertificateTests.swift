import Testing

@testable import MediaCore

@Suite struct EngineCertificateTests {
    private func fingerprint(of session: MediaSession) async throws -> Substring {
        try await session.addReceivers(audio: 1, video: 0)
        let offer = try await session.createOffer().sdp
        await session.close()
        return try #require(offer.split(separator: "\r\n").first { $0.hasPrefix("a=fingerprint:") })
    }

    /// It takes longer to make than the rest of a join.
    @Test func theSessionsOfAnEngineShowOneCertificate() async throws {
        let engines = (0..<2).map { _ in MediaEngine() }
        var fingerprints: [Substring] = []
        for engine in engines {
            for _ in 0..<2 { fingerprints.append(try await fingerprint(of: MediaSession(engine: engine))) }
        }
        for engine in engines { await engine.shutdown() }
        #expect(fingerprints[0] == fingerprints[1] && fingerprints[2] == fingerprints[3])
        #expect(fingerprints[0] != fingerprints[2])
    }
}

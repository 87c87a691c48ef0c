import Testing

@testable import OpenTokSignalling

@Suite struct SessionIDTests {
    @Test(
        "Ids that a service has made",
        arguments: [
            ("1_MX4xMjM0NTZ-flNhdCBNYXIgMTUgMTQ6NDI6MjMgUERUIDIwMTR-MC40OTAxMzAyNX4", "Sat Mar 15 14:42:23 PDT 2014"),
            (
                "1_MX4xMjM0NTZ-fk1vbiBNYXIgMTcgMDA6NDE6MzEgUERUIDIwMTR-MC42ODM3ODk1MzQ0OTQyODA4fg",
                "Mon Mar 17 00:41:31 PDT 2014"
            ),
        ])
    func idsOfTheService(text: String, date: String) throws {
        let id = try OpenTokSessionID(parsing: text)
        #expect(id.fields.prefix(4) == ["1", "123456", "", date])
        #expect(id.mediaMode == .relayed)
        #expect(id.belongs(to: "123456"))
        #expect(!id.belongs(to: "12345"))
        #expect(!id.belongs(to: ""))
    }

    @Test(arguments: MediaMode.allCases) func roundTrip(mode: MediaMode) throws {
        let id = OpenTokSessionID(
            project: "12345", mediaMode: mode, location: "192.0.2.7", createdAt: 1_800_000_000_000, random: 0x123)
        #expect(try OpenTokSessionID(parsing: id.text) == id)
        #expect(id.fields == ["", "12345", "192.0.2.7", "1800000000000", "0000000000000123", mode.letter, ""])
        #expect(id.text.utf8.count < OpenTokSessionID.longest)
        #expect(id.belongs(to: "12345"))
    }

    @Test("The id of the vectors is one of ours")
    func vector() throws {
        let vectors = try SDKVectors()
        let id = OpenTokSessionID(
            project: vectors.project.key, mediaMode: .routed, createdAt: vectors.now * 1000,
            random: 0x0123_4567_89ab_cdef)
        #expect(id == vectors.session)
    }

    @Test("The longest key and location fit")
    func longest() throws {
        let id = OpenTokSessionID(
            project: String(repeating: "k", count: 64), mediaMode: .routed, location: "255.255.255.255",
            createdAt: 9_999_999_999_999, random: .max)
        #expect(try OpenTokSessionID(parsing: id.text) == id)
    }

    @Test(
        "What is no session id",
        arguments: [
            ("", SessionIDFault.prefix), ("3_fn4", .prefix), ("2", .prefix), ("2_", .fields),
            ("2_fjEyMzQ1fg==", .encoding),
            ("2_!", .encoding), ("2_A", .encoding), ("2__w", .encoding), ("2_fn5-", .fields),
            ("2_" + String(repeating: "A", count: 254), .tooLong),
            ("2_" + Base64.encodeURL(Array(String(repeating: "~1", count: 40).utf8)), .fields),
        ])
    func noSessionID(text: String, fault: SessionIDFault) {
        #expect(throws: fault) { try OpenTokSessionID(parsing: text) }
    }

    @Test func projects() throws {
        #expect(throws: Never.self) { try OpenTokProject(key: "12345", secret: "no-dot-at-the-end.-") }
        #expect(throws: Never.self) { try OpenTokProject(key: "a-b_C", secret: "x.") }
        for key in ["", "a~b", "a/b", "a:b", "é", String(repeating: "1", count: 65)] {
            #expect(throws: ProjectFault.key) { try OpenTokProject(key: key, secret: "s") }
        }
        #expect(throws: ProjectFault.secretLength) { try OpenTokProject(key: "1", secret: "") }
        for secret in ["key.pem", "a.b.c_9", "." + String(repeating: "x", count: 70)] {
            #expect(throws: ProjectFault.secretLooksLikeFileName) { try OpenTokProject(key: "1", secret: secret) }
        }
    }
}

import AccessPolicy
import Synchronization
import Testing

/// Links that lead out, and pins as text.
@Suite struct LinkPolicyTests {
    private static let list = """
        # whom we link to
        open   https://(www\\.)?bank\\.example/.*
        ignore https://ads\\.example/.*
        block  https://bank\\.example/never
        open   mailto:.*@bank\\.example
        """

    @Test(arguments: [
        ("https://bank.example/a?b=c", LinkDecision.open), ("HTTPS://WWW.bank.example:443/", .open),
        ("https://ads.example/x", .ignore), ("https://bank.example/never", .open),
        ("https://bank.example.evil/", .block),
        ("https://x@bank.example/", .block), ("mailto:ada@bank.example", .open), ("mailto:ada@evil.example", .block),
        ("javascript:alert(1)", .block), ("", .block), ("no link", .block),
    ])
    func theFirstRuleCounts(url: String, decision: LinkDecision) async throws {
        let links = LinkGuard(try PatternLinkHandler(Self.list))
        #expect(await links.decide(url, in: .navigation) == decision)
        #expect(links.log.map(\.decision) == [decision])
    }

    @Test func linesThatAreNoneAreNamed() {
        for (list, line) in [("open a\nshut b", 2), ("open", 1), ("\n\nblock (", 3), ("# x\nopen a b", 2)] {
            #expect(throws: LinkListFault.self) { try PatternLinkHandler(list) }
            do { _ = try PatternLinkHandler(list) } catch { #expect(error.line == line) }
        }
    }

    /// Takes note of what it was asked.
    private final class Recorder: ExternalLinkHandler {
        let asked = Mutex<[String]>([])
        func decide(_ url: String, in place: LinkPlace) async -> LinkDecision {
            asked.withLock { $0.append("\(place) \(url)") }
            return .open
        }
    }

    @Test func framesOutsideAreAskedAbout() async throws {
        let recorder = Recorder()
        let links = LinkGuard(recorder)
        let policy = try URLPolicy(base: "https://chat.example")
        // Our own page may be inside; a link to our own host may open another application, so it is asked about.
        #expect(await links.decide("https://chat.example/frame", in: .frame, within: policy) == .open)
        #expect(await links.decide("https://Maps.example/x?key=1", in: .frame, within: policy) == .open)
        #expect(await links.decide("https://chat.example/app", in: .navigation, within: policy) == .open)
        for evil in [
            "https://chat.example@evil/", "data:text/html,x", "JavaScript:x", "file:///etc/passwd", "https://a\\b/",
        ] {
            #expect(await links.decide(evil, in: .frame, within: policy) == .block)
            #expect(await links.decide(evil, in: .navigation, within: policy) == .block)
        }
        #expect(
            recorder.asked.withLock { $0 } == [
                "frame https://maps.example/x?key=1", "navigation https://chat.example/app",
            ])
    }

    @Test func theLogIsBoundedAndHasNoSecret() async {
        let links = LinkGuard(FixedLinkHandler(.ignore))
        for number in 1...600 { _ = await links.decide("https://u\(number).example/p?token=hush", in: .navigation) }
        _ = await links.decide("https://u:hush@last.example/", in: .frame)
        let log = links.log
        #expect(log.count == LinkLog.longest && log.map(\.number) == Array((602 - LinkLog.longest)...601))
        #expect(log.allSatisfy { !$0.url.contains("hush") && !$0.url.contains("?") })
        #expect(log.first?.url == "https://u\(602 - LinkLog.longest).example/p" && log.last?.decision == .block)
    }

    private static let pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let other = "sha256/ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="

    @Test func pinsNeedABackup() throws {
        let pins = try CertificatePins([Self.pin, Self.other])
        // The SHA-256 of nothing.
        let digest: [UInt8] = [
            0xE3, 0xB0, 0xC4, 0x42, 0x98, 0xFC, 0x1C, 0x14, 0x9A, 0xFB, 0xF4, 0xC8, 0x99, 0x6F, 0xB9, 0x24, 0x27, 0xAE,
            0x41,
            0xE4, 0x64, 0x9B, 0x93, 0x4C, 0xA4, 0x95, 0x99, 0x1B, 0x78, 0x52, 0xB8, 0x55,
        ]
        #expect(pins.accept([[1], digest]) && !pins.accept([Array(digest.reversed())]) && !pins.accept([]))
        #expect(throws: PinFault.noBackup) { try CertificatePins([]) }
        #expect(throws: PinFault.noBackup) { try CertificatePins([Self.pin]) }
        #expect(throws: PinFault.noBackup) { try CertificatePins([Self.pin, Self.pin]) }
    }

    @Test(arguments: [
        "", "sha256/", "sha1/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "sha256/47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=", "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
        "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=", "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuF==",
        "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= ", "SHA256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    ])
    func pinsHaveOneSpelling(text: String) {
        #expect(throws: PinFault.syntax) { try CertificatePins([text, Self.other]) }
    }
}

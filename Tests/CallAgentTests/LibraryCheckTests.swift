import Testing

@testable import callagent

/// What `doctor` says of the OpenSSL that is loaded.
@Suite struct LibraryCheckTests {
    private static func maps(_ paths: String...) -> String {
        paths.map { "7f12-7f34 r-xp 00000000 08:01 42    \($0)" }.joined(separator: "\n")
            + "\n7ffc-7ffd rw-p 00000000 00:00 0 [stack]\n"
    }

    @Test func aTestedReleaseIsGood() {
        let check = LibraryChecks.check(
            release: "3.0.19", version: "OpenSSL 3.0.19 27 Jan 2026", tested: ["3.0.17", "3.0.19"],
            maps: Self.maps("/usr/lib/libssl.so.3", "/usr/lib/libcrypto.so.3"))
        #expect(check.state == .good && check.advice.isEmpty)
        #expect(check.found == "OpenSSL 3.0.19 27 Jan 2026, /usr/lib/libssl.so.3, tested")
        #expect(check.library?.isTested == true && check.library?.path == "/usr/lib/libssl.so.3")
    }

    @Test func anUntestedReleaseIsNamedWithThoseThatAre() {
        let check = LibraryChecks.check(
            release: "3.5.1", version: "OpenSSL 3.5.1", tested: ["3.0.17", "3.0.19"],
            maps: Self.maps("/usr/lib/libssl.so.3", "/usr/lib/libcrypto.so.3"))
        #expect(check.state == .limited && check.library?.isTested == false)
        #expect(check.found.hasSuffix("not tested") && check.advice.contains("3.0.17, 3.0.19"))
    }

    @Test func librariesOfTwoPackagesAreNamed() {
        let check = LibraryChecks.check(
            release: "3.0.19", version: "OpenSSL 3.0.19", tested: ["3.0.19"],
            maps: Self.maps("/opt/ssl/libssl.so.3", "/usr/lib/libcrypto.so.3"))
        #expect(check.state == .limited && check.advice.contains("/usr/lib/libcrypto.so.3"))
    }

    @Test func theLibraryOfThisProcessIsFound() throws {
        let library = try #require(LibraryChecks.openSSL().library)
        #expect(library.release.split(separator: ".").count == 3, "\(library.release)")
        #expect(try #require(library.path).contains("libssl.so"))
    }
}

import Foundation
import Testing

@testable import TransportSecurity
@testable import WebClient

/// Certificates of clients, from PKCS#12.
@Suite(.timeLimit(.minutes(10))) struct ClientIdentityTests {
    private static let password = "p12-pass-\u{00E9}-7Qx"

    /// Modern and legacy seals; the server demands, or does not.
    @Test(arguments: ["modern", "legacy", "3des", "empty password"], [true, false])
    func presentedWhereDemanded(kind: String, demands: Bool) async throws {
        let authority = try TestAuthority()
        let password = kind == "empty password" ? "" : "7Qx-\(kind)"
        let file =
            switch kind {
            case "legacy": try authority.pkcs12("c.p12", password: password, "-legacy")
            case "3des":
                try authority.pkcs12(
                    "c.p12", password: password, "-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg",
                    "sha1")
            default: try authority.pkcs12("c.p12", password: password)
            }
        let server = try await TestWebServer(try TestWebServer.context(authority, demands: demands))
        var trust = authority.root
        trust.identity = try ClientIdentity(pkcs12File: file, password: password)
        #expect(trust.identity?.chain.count == 1)
        #expect(try await PinningTests.get(server, trust).status == 200)
        // Without one a server that demands it is named with its remedy; one that does not lets us in.
        if demands {
            let error = await PinningTests.fault(server, authority.root)
            #expect(error == .demandsCertificate(peer: "localhost:\(server.port)"))
            #expect(error?.description.contains("--client-certificate") == true)
        } else {
            #expect(try await PinningTests.get(server, authority.root).status == 200)
        }
        #expect(server.requests.withLock { $0.count } == (demands ? 1 : 2))
        try await server.stop()
    }

    @Test func aCertificateOfAnotherRootIsRefused() async throws {
        let (authority, other) = (try TestAuthority(), try TestAuthority())
        let server = try await TestWebServer(try TestWebServer.context(authority, demands: true))
        var trust = authority.root
        trust.identity = try ClientIdentity(pkcs12File: try other.pkcs12("c.p12", password: "x"), password: "x")
        #expect(await PinningTests.fault(server, trust) != nil)
        #expect(server.requests.withLock { $0.isEmpty })
        try await server.stop()
    }

    @Test func faultsAreNamedWithoutThePassword() throws {
        let authority = try TestAuthority()
        let (modern, legacy) = (
            try authority.pkcs12("modern.p12", password: Self.password),
            try authority.pkcs12("legacy.p12", password: "right", "-legacy")
        )
        let keyless = try authority.pkcs12("keyless.p12", password: Self.password, "-nokeys")
        func fault(_ path: String, _ password: String) -> IdentityFault? {
            do throws(IdentityFault) { _ = try ClientIdentity(pkcs12File: path, password: password) } catch {
                #expect(error.description.contains(path) && !error.description.contains(password))
                return error
            }
            return nil
        }
        #expect(fault(modern, "wrong-password") == .wrongPassword(modern))
        #expect(fault(legacy, "wrong-password") == .wrongPassword(legacy))
        #expect(fault(keyless, Self.password) == .noKey(keyless))
        #expect(fault(authority.path("client.pem"), Self.password) == .notPKCS12(authority.path("client.pem")))
        guard case .unreadable = fault(authority.path("none.p12"), Self.password),
            case .unreadable = fault(authority.folder.path, Self.password)
        else {
            Issue.record("a file that is none")
            return
        }
        let identity = try ClientIdentity(pkcs12File: modern, password: Self.password)
        #expect("\(identity)" == "a client certificate" && Mirror(reflecting: identity).children.isEmpty)
        var dumped = ""
        dump(identity, to: &dumped)
        #expect(!dumped.contains("UInt8"))
    }

    /// Whatever a file holds: a fault, never a trap.
    @Test func brokenFilesAreRefused() throws {
        let authority = try TestAuthority()
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try authority.pkcs12("c.p12", password: "x"))))
        var state: UInt64 = 11
        for round in 0..<400 {
            var broken = bytes
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            if round.isMultiple(of: 4) {
                broken.removeLast(Int(state >> 33) % bytes.count)
            } else {
                broken[Int(state >> 33) % bytes.count] ^= UInt8(1 << (round % 8))
            }
            do throws(IdentityFault) { _ = try ClientIdentity(pkcs12: broken, password: "x", name: "it") } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }
}

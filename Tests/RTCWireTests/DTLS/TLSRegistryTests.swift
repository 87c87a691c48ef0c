import RTCWire
import Testing

/// Numbers of IANA's registries and what they stand for.
@Suite struct TLSRegistryTests {
    /// RFC 5289 section 3.2, RFC 7905 section 2.
    @Test(arguments: [
        (0xc02b, TLSCipherSuite.AEAD.aes128GCM, TLSKeyKind.ecdsa, false), (0xc02f, .aes128GCM, .rsa, false),
        (0xc02c, .aes256GCM, .ecdsa, true), (0xc030, .aes256GCM, .rsa, true),
        (0xcca9, .chaCha20Poly1305, .ecdsa, false), (0xcca8, .chaCha20Poly1305, .rsa, false),
    ])
    func cipherSuites(_ number: UInt16, aead: TLSCipherSuite.AEAD, key: TLSKeyKind, usesSHA384: Bool) throws {
        let suite = try #require(TLSCipherSuite(rawValue: number))
        #expect(suite.aead == aead && suite.authentication == key && suite.usesSHA384 == usesSHA384)
    }

    /// The order is what a hello offers: AES-128 first, which every browser has in hardware, and each AEAD by both keys.
    @Test func theOrderOfCipherSuites() {
        #expect(
            TLSCipherSuite.allCases.map(\.aead) == [
                .aes128GCM, .aes128GCM, .chaCha20Poly1305, .chaCha20Poly1305, .aes256GCM, .aes256GCM,
            ])
        #expect(TLSCipherSuite.allCases.map(\.authentication) == [.ecdsa, .rsa, .ecdsa, .rsa, .ecdsa, .rsa])
    }

    /// Without forward secrecy, without AEAD, of TLS 1.3, and the signal that is no suite (RFC 5746 section 3.3).
    @Test(arguments: [0x002f, 0x009c, 0xc009, 0xc013, 0xc0ac, 0x1301, 0x1302, 0x1303, 0x00ff, 0x5600, 0] as [UInt16])
    func suitesThatNobodyOffers(_ number: UInt16) {
        #expect(TLSCipherSuite(rawValue: number) == nil)
    }

    /// RFC 8446 section 4.2.3.
    @Test(arguments: [
        (0x0403, TLSSignatureScheme.Hash.sha256, TLSKeyKind.ecdsa, false), (0x0503, .sha384, .ecdsa, false),
        (0x0603, .sha512, .ecdsa, false), (0x0804, .sha256, .rsa, true), (0x0805, .sha384, .rsa, true),
        (0x0806, .sha512, .rsa, true), (0x0401, .sha256, .rsa, false), (0x0501, .sha384, .rsa, false),
        (0x0601, .sha512, .rsa, false),
    ])
    func signatureSchemes(_ number: UInt16, hash: TLSSignatureScheme.Hash, key: TLSKeyKind, isPSS: Bool) throws {
        let scheme = try #require(TLSSignatureScheme(rawValue: number))
        #expect(scheme.hash == hash && scheme.keyKind == key && scheme.isPSS == isPSS)
    }

    /// SHA-1, MD5, EdDSA, and PSS with a key that says PSS itself.
    @Test(arguments: [0x0201, 0x0203, 0x0101, 0x0807, 0x0808, 0x0809, 0x080b, 0] as [UInt16])
    func schemesThatNobodyTakes(_ number: UInt16) {
        #expect(TLSSignatureScheme(rawValue: number) == nil)
    }

    @Test func eachSchemeAndSuiteHasItsPlace() {
        #expect(TLSSignatureScheme.allCases.count == 9 && TLSCipherSuite.allCases.count == 6)
        // With ECDSA, which our own certificates are, the shortest hash comes first.
        #expect(TLSSignatureScheme.allCases.first == .ecdsaSHA256)
        #expect(TLSSignatureScheme.allCases.first { $0.keyKind == .rsa } == .rsaPSSSHA256)
    }

    /// RFC 8422 section 5.1.1; the hybrid group of browsers is none here.
    @Test func groups() {
        #expect(TLSNamedGroup.allCases.map(\.rawValue) == [29, 23])
        #expect(TLSNamedGroup.allCases.map(\.publicKeyLength) == [32, 65])
        #expect(TLSNamedGroup(rawValue: 24) == nil && TLSNamedGroup(rawValue: 0x11ec) == nil)
    }

    /// RFC 5246 section 7.4 and RFC 6347 section 4.3.2.
    @Test func handshakeTypes() {
        #expect(TLSHandshakeType.allCases.map(\.rawValue) == [0, 1, 2, 3, 11, 12, 13, 14, 15, 16, 20])
        // NewSessionTicket, EndOfEarlyData, EncryptedExtensions, CertificateURL, CertificateStatus, KeyUpdate.
        for number in [4, 5, 8, 21, 22, 24, 255] as [UInt8] { #expect(TLSHandshakeType(rawValue: number) == nil) }
    }

    /// A later version is a smaller number.
    @Test func versions() { #expect(DTLSVersion.v12 == 0xfefd && DTLSVersion.v10 == 0xfeff) }
}

/// RFC 5246 section 7.2.
@Suite struct TLSAlertTests {
    private func alert(_ bytes: [UInt8]) throws(WireError) -> TLSAlert {
        try withSpan(bytes) { span throws(WireError) in try TLSAlert(parsing: span) }
    }

    @Test func everyDescriptionSurvivesTheWire() throws {
        for number in 0...255 as ClosedRange<UInt8> {
            let fatal = try alert([2, number])
            let warning = try alert([1, number])
            #expect(fatal == TLSAlert(isFatal: true, description: number) && fatal.encoded == [2, number])
            #expect(warning == TLSAlert(isFatal: false, description: number) && warning.encoded == [1, number])
        }
    }

    @Test(arguments: [[0, 0], [3, 0], [0xff, 40]] as [[UInt8]]) func levelsThatAreNone(_ bytes: [UInt8]) {
        #expect(throws: WireError.invalidValue) { try alert(bytes) }
    }

    /// Two in one record are none: nobody sends them, and which of them counts?
    @Test(arguments: [[], [2], [2, 40, 0], [1, 0, 2, 40]] as [[UInt8]]) func lengthsThatAreNone(_ bytes: [UInt8]) {
        #expect(throws: WireError.invalidLength) { try alert(bytes) }
    }

    /// Where bytes that are too few come first the level is not looked at.
    @Test func closeNotifyIsAWarning() throws {
        #expect(try alert(TLSAlert.closeNotify.encoded) == .closeNotify && !TLSAlert.closeNotify.isFatal)
        #expect(TLSAlert.Description.closeNotify == 0 && TLSAlert.Description.handshakeFailure == 40)
        #expect(TLSAlert.Description.decryptError == 51 && TLSAlert.Description.unsupportedExtension == 110)
    }
}

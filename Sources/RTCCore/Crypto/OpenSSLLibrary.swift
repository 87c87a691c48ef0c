import CCrypto

/// The OpenSSL that this process runs with: what the dynamic linker found, not what it was built against.
package enum OpenSSLLibrary {
    /// Releases under which the DTLS tests pass: every one that Debian 12 has shipped since 12.11, and those of Debian 13,
    /// with which libssl can't be used. `Scripts/test-libssl` runs them under the oldest and the newest that apt offers.
    package static let testedReleases = ["3.0.17", "3.0.19", "3.0.20", "3.0.22", "3.5.7", "3.5.9"]

    /// The library's own words, such as "OpenSSL 3.0.19 27 Jan 2026".
    package static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }

    /// The number in it, such as "3.0.19".
    package static var release: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }

    /// Whether the DTLS tests pass under this release.
    package static var isTested: Bool { testedReleases.contains(release) }
}

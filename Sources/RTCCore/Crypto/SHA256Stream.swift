import CCrypto

/// SHA-256 (FIPS 180-4) of bytes that come in pieces. Has one owner at a time.
package final class SHA256Stream {
    private let context: OpaquePointer
    private var isSound: Bool

    /// Nothing was read yet.
    package init() throws(CryptoError) {
        guard let context = EVP_MD_CTX_new() else { throw .library("EVP_MD_CTX_new") }
        self.context = context
        isSound = EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    }

    deinit { EVP_MD_CTX_free(context) }

    /// The next piece.
    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        isSound = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 && isSound
    }

    /// 64 hexadecimal digits, small letters. Nothing may follow. Throws where the library has failed.
    package func finish() throws(CryptoError) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        guard isSound, EVP_DigestFinal_ex(context, &digest, nil) == 1 else { throw .library("SHA-256") }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

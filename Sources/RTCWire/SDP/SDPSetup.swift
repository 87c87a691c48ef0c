/// Who begins the DTLS handshake (RFC 4145 section 4, RFC 8842): active is the DTLS client.
package enum SDPSetup: String, Hashable, Sendable {
    case active
    case passive
    case actpass
    case holdconn
}

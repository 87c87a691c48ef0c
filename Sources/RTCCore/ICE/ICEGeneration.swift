import RTCWire

/// The credentials of one ICE generation with the keys made from them; a restart begins a new one (RFC 8445 section 9).
struct ICEGeneration {
    let number: UInt32
    let local: ICECredentials
    private(set) var remote: ICECredentials?
    /// Keys requests that come to us and the responses that we give.
    let localKey: HMACSHA1
    /// Keys our requests and the responses to them.
    private(set) var remoteKey: HMACSHA1?
    /// USERNAME of what we send: `remote:local`.
    private(set) var outgoingUsername = ""
    /// USERNAME of what we get: `local:remote`, as far as it is known.
    private var incomingUsername: [UInt8]
    /// When the search for a pair began: with the remote credentials, or with the restart that asks for them.
    var startedAt: Instant?

    init(number: UInt32, local: ICECredentials) {
        self.number = number
        self.local = local
        localKey = HMACSHA1(password: local.pwd)
        incomingUsername = Array("\(local.ufrag):".utf8)
    }

    mutating func setRemote(_ credentials: ICECredentials) {
        remote = credentials
        remoteKey = HMACSHA1(password: credentials.pwd)
        outgoingUsername = "\(credentials.ufrag):\(local.ufrag)"
        incomingUsername = Array("\(local.ufrag):\(credentials.ufrag)".utf8)
    }

    /// Whether a request's USERNAME is one that the other side of this generation sends: `local:remote`, or any
    /// second part while the remote credentials are unknown.
    func accepts(_ username: Range<Int>, in bytes: RawSpan) -> Bool {
        let expected = incomingUsername.count
        guard remote == nil ? username.count > expected : username.count == expected else { return false }
        for index in 0..<expected where bytes.byte(username.lowerBound + index) != incomingUsername[index] {
            return false
        }
        return true
    }
}

/// Which bodies a route takes, decided by the head of a request before anything of its body is read.
struct HTTPBodyGate: Sendable {
    /// Bytes of a body; more is answered with 413.
    var bytes: Int
    /// The answer to a request that is not going to be carried out whatever its body says: it has no credentials, or the
    /// wrong ones. Nil lets the body come.
    var refusal: @Sendable (HTTPRequest) -> HTTPResponse?

    init(bytes: Int, refusal: @escaping @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil }) {
        self.bytes = bytes
        self.refusal = refusal
    }

    /// For routes that read no body: what clients send all the same is small.
    static let none = HTTPBodyGate(bytes: 4_096)
}

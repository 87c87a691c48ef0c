import NIOCore

/// Bounds on what one client, or all together, can make an `HTTPServer` hold or wait for.
struct HTTPLimits: Sendable {
    /// Connections at a time. A further one takes the place of the oldest that has sent no whole request yet, else of the
    /// oldest that rests between two requests; where all are in use it is answered with 503 and closed.
    var connections = 2_048
    /// Connections of one address that have sent no whole request yet; a further one takes the place of the oldest.
    var freshPerAddress: Int { max(1, connections / 4) }
    /// Bytes of a request's line and header fields. Clients put whole offers into the query.
    var headBytes = 256 * 1024
    /// Header fields of one request.
    var headerFields = 100
    /// Bytes of a request's body, where its route takes as many; more is answered with 413.
    var bodyBytes = 2 * 1024 * 1024
    /// How long the head of a connection's first request may take, every body, and reading a response.
    var requestTimeout = TimeAmount.seconds(10)
    /// How long a connection may wait between two requests.
    var keepAliveTimeout = TimeAmount.seconds(30)
    /// How long a route may take to answer; then the client gets 503.
    var answerTimeout = TimeAmount.seconds(30)

    /// Bytes of one WebSocket message, all fragments together; more closes with 1009.
    var messageBytes = 2 * 1024 * 1024
    /// Fragments of one WebSocket message; more closes with 1008.
    var messageFragments = 1_024
    /// Messages of one WebSocket a second, and at once after a rest; 2 KiB more of a message count as another one. What
    /// comes faster waits, and nothing is read meanwhile.
    var messageRate = 150.0
    var messageBurst = 300.0
    /// Messages of one WebSocket that wait for their turn; more closes with 1008.
    var waitingMessages = 2_000
    /// Bytes that wait for a WebSocket client to read them; beyond it the client is dropped.
    var queuedBytes = 8 * 1024 * 1024
    /// Between two WebSocket pings.
    var pingInterval = TimeAmount.seconds(10)
    /// A WebSocket client from which nothing has come for so long, pongs included, is gone.
    var silenceLimit = TimeAmount.seconds(30)
    /// How long a connection on which all is said may take to be closed.
    var closeTimeout = TimeAmount.seconds(1)
    /// How long a WebSocket client may take to answer our close frame.
    var goodbyeTimeout = TimeAmount.seconds(5)
}

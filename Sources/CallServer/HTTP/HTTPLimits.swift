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
    /// How long a connection on which all is said may take to be closed.
    var closeTimeout = TimeAmount.seconds(1)
    /// Those of its WebSockets.
    var webSocket = WebSocketLimits()
}

import NIOCore

/// Bounds on what one WebSocket client can make an `HTTPServer` hold or wait for.
struct WebSocketLimits: Sendable {
    /// Bytes of one WebSocket message, all fragments together; more closes with 1009.
    var messageBytes = 2 * 1024 * 1024
    /// Fragments of one WebSocket message; more closes with 1008.
    var messageFragments = 1_024
    /// Messages of one WebSocket a second, and at once after a rest; 2 KiB more of a message count as another one. What
    /// comes faster waits, and nothing is read meanwhile.
    var rate = 150.0
    var burst = 300.0
    /// Messages of one WebSocket that wait for their turn; more closes with 1008.
    var waitingMessages = 2_000
    /// Bytes that wait for a WebSocket client to read them; beyond it the client is dropped.
    var queuedBytes = 8 * 1024 * 1024
    /// Between two WebSocket pings.
    var pingInterval = TimeAmount.seconds(10)
    /// A WebSocket client from which nothing has come for so long, pongs included, is gone.
    var silenceLimit = TimeAmount.seconds(30)
    /// How long a WebSocket client may take to answer our close frame.
    var goodbyeTimeout = TimeAmount.seconds(5)
}

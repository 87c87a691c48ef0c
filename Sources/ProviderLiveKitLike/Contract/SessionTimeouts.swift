/// How many seconds things may take; the defaults are those of LiveKit's own clients.
struct SessionTimeouts: Sendable, Hashable {
    /// From the request for an upgrade to the open socket.
    var socket = 5.0
    /// From the open socket to the join response, or to the reconnect response.
    var join = 5.0
    /// The question why an upgrade was refused.
    var validation = 3.0
    /// The question in which regions LiveKit Cloud can be reached.
    var regions = 3.0
    /// From asking to publish to the server's word.
    var publication = 10.0
    /// From an offer to its answer.
    var answer = 10.0
    /// From a resumed or new session to media on all its paths.
    var media = 15.0
    /// How long a silent media path may recover by itself before it is looked for anew.
    var impairment = 10.0
    /// From the end of a media path that the server has closed to its word why.
    var reason = 2.0
    /// From a request about ourselves to the server's word.
    var request = 5.0
    /// How often a join is tried again where nobody answers properly.
    var joinRetries = 3
}

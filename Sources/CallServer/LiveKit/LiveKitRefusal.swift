import NIOHTTP1

/// Why a request is refused before anybody joins: LiveKit's status and text.
struct LiveKitRefusal: Error, Hashable {
    var status: UInt
    var text: String

    init(_ status: UInt, _ text: String) {
        self.status = status
        self.text = text
    }

    /// The token does not grant what is asked for.
    static let noPermission = LiveKitRefusal(401, "no permissions to access the room")

    /// LiveKit's words; 4xx, so that clients don't try again at once.
    static let roomIsFull = LiveKitRefusal(429, "room has exceeded its max participants")
    static let joinsTooOften = LiveKitRefusal(429, "this participant joins too often; try again later")

    var response: HTTPResponse { HTTPResponse(HTTPResponseStatus(statusCode: Int(status)), text) }
}

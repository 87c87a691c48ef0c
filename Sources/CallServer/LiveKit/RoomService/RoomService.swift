import CallModel
import Foundation
import LiveKitProtocol
import NIOCore
import NIOHTTP1
import RTCWire

/// LiveKit's room API: `POST /twirp/livekit.RoomService/<Method>`, in JSON or protobuf (Twirp).
///
/// Each method needs its grant: creating and deleting rooms `roomCreate`, listing them `roomList`, everything else
/// `roomAdmin` for the request's room.
struct RoomService: Sendable {
    static let prefix = "/twirp/livekit.RoomService/"
    /// Bytes of a request.
    private static let longestRequest = 2 * 1024 * 1024

    let configuration: CallServerConfiguration
    let directory: RoomDirectory
    /// The API key that asks; empty where none does.
    private var asker = ""

    init(configuration: CallServerConfiguration, directory: RoomDirectory) {
        self.configuration = configuration
        self.directory = directory
    }

    func add(to router: inout HTTPRouter) {
        let gate = HTTPBodyGate(bytes: Self.longestRequest) { request in
            do throws(TwirpError) {
                // Which grant a method needs, and for which room, is in the body; without any there is no need to read it.
                let grant = try claims(of: request)?.video ?? VideoGrant()
                _ = try route(request)
                return grant == VideoGrant() ? TwirpError.permissionDenied.response : nil
            } catch {
                return error.response
            }
        }
        router.any(Self.prefix + "*", body: gate, later: { respond(to: $0, on: $1) })
    }

    func respond(to request: HTTPRequest, on eventLoop: any EventLoop) -> EventLoopFuture<HTTPResponse> {
        do throws(TwirpError) {
            let claims = try claims(of: request)
            let (method, format) = try route(request)
            var service = self
            service.asker = claims?.issuer ?? ""
            let call = RoomServiceCall(
                service: service, grant: service.allowed(claims?.video ?? VideoGrant()), format: format,
                body: Array(request.body.readableBytesView),
                eventLoop: eventLoop)
            return try method.answer(call).recover { error in
                let known = error as? TwirpError
                return (known ?? TwirpError(.internal, "the request could not be carried out")).response
            }
        } catch {
            return eventLoop.makeSucceededFuture(error.response)
        }
    }

    /// Of the token; nil where there is none.
    private func claims(of request: HTTPRequest) throws(TwirpError) -> TokenClaims? {
        guard let authorization = request.authorization, !authorization.isEmpty else { return nil }
        guard let token = request.bearerToken else {
            throw TwirpError(.unauthenticated, "invalid authorization header. Must start with Bearer ")
        }
        do {
            return try AccessToken.verify(token, secrets: configuration.keys, now: Date().timeIntervalSince1970)
        } catch {
            throw TwirpError(.unauthenticated, error.description)
        }
    }

    /// A room that is a session of another project is nothing to the key that asks.
    private func isForeign(_ room: String) -> Bool {
        SessionRoomName(room)?.refusal(key: asker, of: configuration.keys.keys) == .foreign
    }

    private func allowed(_ grant: VideoGrant) -> VideoGrant {
        guard let room = grant.room, isForeign(room) else { return grant }
        var less = grant
        less.roomAdmin = nil
        return less
    }

    private func route(_ request: HTTPRequest) throws(TwirpError) -> (RoomServiceMethod, TwirpFormat) {
        guard request.method == .POST else {
            throw .badRoute(request, "unsupported method \"\(request.method.rawValue)\" (only POST is allowed)")
        }
        guard let method = RoomServiceMethod.all[String(request.path.dropFirst(Self.prefix.count))] else {
            throw .badRoute(request, "no handler for path \"\(request.path.printable(limit: 200))\"")
        }
        let contentType = request.headers.first(name: "content-type")
        guard let format = TwirpFormat(contentType: contentType) else {
            throw .badRoute(request, "unexpected Content-Type: \"\((contentType ?? "").printable(limit: 100))\"")
        }
        return (method, format)
    }

    // MARK: Rooms

    /// Does `body` on the room's loop, with the time at which it begins. The future fails with `TwirpError`.
    func inRoom<Value: Sendable>(
        _ name: String, on eventLoop: any EventLoop,
        _ body: @escaping @Sendable (LiveKitRoom, Instant) throws(TwirpError) -> Value
    ) -> EventLoopFuture<Value> {
        guard let room = directory.existingRoom(named: name) else {
            return eventLoop.makeFailedFuture(TwirpError.noRoom)
        }
        return room.eventLoop.submit {
            guard !room.isClosed else { throw TwirpError.noRoom }
            return try room.loop.meter.measure(.message, "room API") { try body(room.liveKit, $0) }
        }
    }

    func createRoom(
        _ request: Livekit_CreateRoomRequest, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Livekit_Room> {
        do throws(TwirpError) {
            try check(request)
            guard !isForeign(request.name) else { throw TwirpError.permissionDenied }
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
        guard let room = directory.createRoom(named: request.name, { $0.apply(request) }) else {
            return eventLoop.makeFailedFuture(
                TwirpError(.resourceExhausted, "the server has as many rooms as it takes"))
        }
        return room.eventLoop.flatSubmit {
            // It has closed since: there is none of that name now.
            guard !room.isClosed else { return createRoom(request, on: eventLoop) }
            room.liveKit.apply(request)
            return room.eventLoop.makeSucceededFuture(room.liveKit.info)
        }
    }

    private func check(_ request: Livekit_CreateRoomRequest) throws(TwirpError) {
        let limits = configuration.limits
        guard !request.name.isEmpty else { throw TwirpError(.invalidArgument, "no room name") }
        guard request.name.utf8.count <= limits.text.name else {
            throw TwirpError(.invalidArgument, "room name length exceeds limits: max length \(limits.text.name)")
        }
        try LiveKitRoom.checkMetadata(request.metadata, limits)
        guard request.roomPreset.isEmpty else {
            throw TwirpError(
                .invalidArgument, "unknown room configuration in create room request: \"\(request.roomPreset)\"")
        }
    }

    func listRooms(
        _ request: Livekit_ListRoomsRequest, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Livekit_ListRoomsResponse> {
        let wanted = Set(request.names)
        let rooms = directory.rooms.filter { room in
            (wanted.isEmpty || wanted.contains(room.name)) && !isForeign(room.name)
        }
        let infos = rooms.map { room in room.eventLoop.submit { room.isClosed ? nil : room.liveKit.info } }
        return EventLoopFuture.whenAllSucceed(infos, on: eventLoop).map { infos in
            .with {
                $0.rooms = infos.compactMap(\.self).sorted {
                    ($0.creationTimeMs, $0.name) < ($1.creationTimeMs, $1.name)
                }
            }
        }
    }
}

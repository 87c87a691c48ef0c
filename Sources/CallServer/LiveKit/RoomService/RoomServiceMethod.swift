import LiveKitProtocol
import NIOCore
import RTCWire

/// One request to the room API, read as far as all methods are alike.
struct RoomServiceCall: Sendable {
    let service: RoomService
    let grant: VideoGrant
    let format: TwirpFormat
    let body: [UInt8]
    let eventLoop: any EventLoop
}

/// A method of the room API: reads its request, looks at the grant, does the work, writes the answer.
struct RoomServiceMethod: Sendable {
    /// The future fails with `TwirpError`.
    let answer: @Sendable (RoomServiceCall) throws(TwirpError) -> EventLoopFuture<HTTPResponse>

    /// - Parameters:
    ///   - shape: what the answer's JSON shows.
    ///   - allowed: whether the grant is enough for a request.
    init<Request: ProtocolMessage, Response: ProtocolMessage>(
        _ shape: JSONShape, allowed: @escaping @Sendable (VideoGrant, Request) -> Bool,
        _ body: @escaping @Sendable (RoomService, Request, any EventLoop) -> EventLoopFuture<Response>
    ) {
        answer = { (call) throws(TwirpError) in
            let request: Request = try call.format.read(call.body)
            guard allowed(call.grant, request) else { throw TwirpError.permissionDenied }
            return body(call.service, request, call.eventLoop).map { call.format.write($0, shape) }
        }
    }

    /// A method for the administrators of the request's room, done on that room's loop.
    ///
    /// - Parameter missing: what is said where there is no such room.
    static func admin<Request: AdministrativeRequest, Response: ProtocolMessage>(
        _ shape: JSONShape, missing: TwirpError = .noRoom,
        _ body: @escaping @Sendable (LiveKitRoom, Request, Instant) throws(TwirpError) -> Response
    ) -> RoomServiceMethod {
        RoomServiceMethod(shape, allowed: isAdmin) { (service, request: Request, eventLoop) in
            service.inRoom(request.room, on: eventLoop) { (room, now) throws(TwirpError) in
                try body(room, request, now)
            }
            .flatMapErrorThrowing { error in throw error as? TwirpError == .noRoom ? missing : error }
        }
    }

    @Sendable private static func isAdmin(_ grant: VideoGrant, _ request: some AdministrativeRequest) -> Bool {
        grant.roomAdmin == true && !request.room.isEmpty && grant.room == request.room
    }

    @Sendable private static func mayMove(_ grant: VideoGrant, _ request: some RelocatingRequest) -> Bool {
        isAdmin(grant, request) && !request.destinationRoom.isEmpty
            && grant.destinationRoom == request.destinationRoom
    }

    /// By name.
    static let all: [String: RoomServiceMethod] = [
        "CreateRoom": RoomServiceMethod(.room, allowed: { grant, _ in grant.roomCreate == true }) {
            $0.createRoom($1, on: $2)
        },
        "ListRooms": RoomServiceMethod(.rooms, allowed: { grant, _ in grant.roomList == true }) {
            $0.listRooms($1, on: $2)
        },
        "DeleteRoom": RoomServiceMethod(.empty, allowed: { grant, _ in grant.roomCreate == true }) {
            (service, request: Livekit_DeleteRoomRequest, eventLoop) in
            service.inRoom(request.room, on: eventLoop) { (room, now) throws(TwirpError) in
                room.room.end(.deleted, now: now)
                return EmptyMessage()
            }
        },
        "ListParticipants": RoomServiceMethod(.participants, allowed: isAdmin) {
            (service, request: Livekit_ListParticipantsRequest, eventLoop) in
            service.inRoom(request.room, on: eventLoop) { (room, _) throws(TwirpError) in room.listParticipants() }
                // Nobody is in a room that is not there.
                .flatMapErrorThrowing { error in
                    guard error as? TwirpError == .noRoom else { throw error }
                    return Livekit_ListParticipantsResponse()
                }
        },
        "GetParticipant": admin(.participant, missing: .noParticipant) { (room, request, _) throws(TwirpError) in
            try room.getParticipant(request)
        },
        "RemoveParticipant": admin(.empty, missing: .noParticipant) { (room, request, now) throws(TwirpError) in
            try room.removeParticipant(request, now: now)
        },
        "MutePublishedTrack": admin(.mutedTrack) { (room, request, now) throws(TwirpError) in
            try room.muteTrack(request, now: now)
        },
        "UpdateParticipant": admin(.participant, missing: .noParticipant) { (room, request, now) throws(TwirpError) in
            try room.updateParticipant(request, now: now)
        },
        "UpdateSubscriptions": admin(.empty) { (room, request, now) throws(TwirpError) in
            try room.updateSubscriptions(request, now: now)
        },
        "UpdateRoomMetadata": admin(.room) { (room, request, _) throws(TwirpError) in
            try room.updateMetadata(request)
        },
        "SendData": admin(.empty) { (room, request, now) throws(TwirpError) in
            try room.sendData(request, now: now)
        },
        "PerformRpc": RoomServiceMethod(.rpc, allowed: isAdmin) {
            (service, request: Livekit_PerformRpcRequest, eventLoop) in
            service.inRoom(request.room, on: eventLoop) { (room, _) throws(TwirpError) in try room.performRPC(request) }
                .flatMap { $0 }
        },
        "MoveParticipant": RoomServiceMethod(.empty, allowed: mayMove) {
            (_, _: Livekit_MoveParticipantRequest, eventLoop) -> EventLoopFuture<EmptyMessage> in
            eventLoop.makeFailedFuture(TwirpError(.unimplemented, "participants can't be moved on this server"))
        },
        "ForwardParticipant": RoomServiceMethod(.empty, allowed: mayMove) {
            (_, _: Livekit_ForwardParticipantRequest, eventLoop) -> EventLoopFuture<EmptyMessage> in
            eventLoop.makeFailedFuture(TwirpError(.unimplemented, "participants can't be forwarded on this server"))
        },
    ]
}

/// A request about one room.
protocol AdministrativeRequest: ProtocolMessage {
    var room: String { get }
}

/// A request that takes somebody to another room.
protocol RelocatingRequest: AdministrativeRequest {
    var destinationRoom: String { get }
}

extension Livekit_ListParticipantsRequest: AdministrativeRequest {}
extension Livekit_RoomParticipantIdentity: AdministrativeRequest {}
extension Livekit_MuteRoomTrackRequest: AdministrativeRequest {}
extension Livekit_UpdateParticipantRequest: AdministrativeRequest {}
extension Livekit_UpdateSubscriptionsRequest: AdministrativeRequest {}
extension Livekit_UpdateRoomMetadataRequest: AdministrativeRequest {}
extension Livekit_SendDataRequest: AdministrativeRequest {}
extension Livekit_PerformRpcRequest: AdministrativeRequest {}
extension Livekit_MoveParticipantRequest: RelocatingRequest {}
extension Livekit_ForwardParticipantRequest: RelocatingRequest {}

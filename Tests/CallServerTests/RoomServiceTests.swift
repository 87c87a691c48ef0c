import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// Calls the room API as a stranger would: bytes over HTTP.
struct RoomAPI: Sendable {
    var port: Int
    var grant = VideoGrant()
    var key = "key"

    struct Answer: Sendable {
        var status: Int
        var contentType: String
        var body: String

        var json: [String: JSONValue] {
            guard case .object(let object)? = try? JSONDecoder().decode(JSONValue.self, from: Data(body.utf8)) else {
                return [:]
            }
            return object
        }
        var code: String? { if case .string(let code)? = json["code"] { code } else { nil } }
    }

    /// May do everything, with rooms named `room`.
    static func admin(_ server: CallServer, room: String = "r", key: String = "key") -> RoomAPI {
        var grant = VideoGrant(room: room)
        grant.roomCreate = true
        grant.roomList = true
        grant.roomAdmin = true
        return RoomAPI(port: server.port, grant: grant, key: key)
    }

    var token: String {
        let now = Int64(Date().timeIntervalSince1970)
        var claims = TokenClaims(issuer: key, notBefore: now, expires: now + 600)
        claims.video = grant
        return AccessToken.mint(claims, secret: "secret")
    }

    func call(
        _ method: String, _ body: String, authorization: String? = nil, type: String? = "application/json",
        verb: String = "POST"
    ) async throws -> Answer {
        let client = try await HTTPTestClient.connect(port)
        let authorization = authorization ?? "Bearer \(token)"
        var head = "\(verb) /twirp/livekit.RoomService/\(method) HTTP/1.1\r\nHost: h\r\n"
        if !authorization.isEmpty { head += "Authorization: \(authorization)\r\n" }
        if let type { head += "Content-Type: \(type)\r\n" }
        client.send(head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
        let response = try await client.response()
        client.close()
        return Answer(
            status: response.status, contentType: response.fields["content-type"] ?? "", body: response.body)
    }
}

@Suite(.timeLimit(.minutes(10))) struct RoomServiceTests {
    @Test func aRoomIsMadeListedAndDeleted() async throws {
        try await withCallServer { server in
            let api = RoomAPI.admin(server)
            let made = try await api.call(
                "CreateRoom",
                #"{"name":"r","empty_timeout":77,"departureTimeout":7,"max_participants":3,"metadata":"m"}"#)
            #expect(made.status == 200 && made.contentType == "application/json")
            let room = made.json
            #expect(room["name"] == .string("r") && room["metadata"] == .string("m"))
            #expect(room["empty_timeout"] == .integer(77) && room["departure_timeout"] == .integer(7))
            #expect(room["max_participants"] == .integer(3) && room["num_participants"] == .integer(0))
            #expect(room["active_recording"] == .bool(false) && room["version"] == .null)
            #expect(room["turn_password"] == .string(""))
            guard case .string(let sid)? = room["sid"], case .string(let created)? = room["creation_time"] else {
                return #expect(Bool(false), "sid and creation_time are strings")
            }
            #expect(sid.hasPrefix("RM_") && abs((Double(created) ?? 0) - Date().timeIntervalSince1970) < 120)
            let again = try await api.call("CreateRoom", #"{"name":"r"}"#)
            #expect(again.json["sid"] == .string(sid) && again.json["empty_timeout"] == .integer(77))
            let unknown = try await api.call("ListRooms", #"{"names":["other"]}"#)
            #expect(unknown.json == ["rooms": .array([])])
            let all = try await api.call("ListRooms", "{}")
            #expect(all.json["rooms"] == .array([.object(again.json)]))
            #expect(try await api.call("DeleteRoom", #"{"room":"r"}"#).body == "{}")
            #expect(try await api.call("ListRooms", "{}").json == ["rooms": .array([])])
            #expect(try await api.call("DeleteRoom", #"{"room":"r"}"#).code == "not_found")
        }
    }

    @Test func protobufIsAnsweredInProtobufAndErrorsInJSON() async throws {
        try await withCallServer { server in
            let api = RoomAPI.admin(server)
            let request = Livekit_CreateRoomRequest.with { $0.name = "r" }
            let text = String(decoding: request.wireBytes, as: UTF8.self)
            let made = try await api.call("CreateRoom", text, type: "application/protobuf")
            #expect(made.status == 200 && made.contentType == "application/protobuf" && made.body.contains("RM_"))
            let broken = try await api.call("CreateRoom", "\u{7F}", type: "application/protobuf")
            #expect(broken.status == 400 && broken.contentType == "application/json" && broken.code == "malformed")
        }
    }

    /// Method, body, what is wrong, status and code.
    @Test(arguments: [
        ("Nothing", "{}", 404, "bad_route"), ("CreateRoom", "{", 400, "malformed"),
        ("CreateRoom", "", 400, "malformed"), ("CreateRoom", "{}", 400, "invalid_argument"),
        ("CreateRoom", #"{"name":"x","room_preset":"p"}"#, 400, "invalid_argument"),
        ("DeleteRoom", #"{"room":"x"}"#, 404, "not_found"),
        ("ListParticipants", #"{"room":"other"}"#, 401, "unauthenticated"),
        ("ListParticipants", #"{}"#, 401, "unauthenticated"),
        ("ListParticipants", #"{"room":"r"}"#, 200, ""),
        ("GetParticipant", #"{"room":"r","identity":"a"}"#, 404, "not_found"),
        ("RemoveParticipant", #"{"room":"r","identity":"a"}"#, 404, "not_found"),
        ("MutePublishedTrack", #"{"room":"r","identity":"a","track_sid":"t","muted":true}"#, 404, "not_found"),
        ("UpdateParticipant", #"{"room":"r","identity":"a"}"#, 404, "not_found"),
        ("UpdateSubscriptions", #"{"room":"r","identity":"a"}"#, 404, "not_found"),
        ("UpdateRoomMetadata", #"{"room":"r","metadata":"m"}"#, 404, "not_found"),
        ("SendData", #"{"room":"r","data":"AAEC","kind":"RELIABLE"}"#, 404, "not_found"),
        ("SendData", #"{"room":"r","data":"?"}"#, 400, "malformed"),
        ("PerformRpc", #"{"room":"r","destination_identity":"a","method":"m"}"#, 404, "not_found"),
        ("MoveParticipant", #"{"room":"r","identity":"a","destination_room":"q"}"#, 401, "unauthenticated"),
    ])
    func errorsOfRequests(method: String, body: String, status: Int, code: String) async throws {
        try await withCallServer { server in
            let answer = try await RoomAPI.admin(server).call(method, body)
            #expect(answer.status == status && (answer.code ?? "") == code, "\(answer)")
        }
    }

    @Test func whoMayNotIsTold401() async throws {
        try await withCallServer { server in
            let api = RoomAPI.admin(server)
            let powerless = RoomAPI(port: server.port)
            for method in ["CreateRoom", "DeleteRoom", "ListRooms", "SendData", "UpdateRoomMetadata"] {
                let answer = try await powerless.call(method, #"{"room":"r","name":"r"}"#)
                #expect(answer.status == 401 && answer.code == "unauthenticated", "\(method)")
                #expect(answer.json["msg"] == .string("permissions denied"))
            }
            #expect(try await api.call("ListRooms", "{}", authorization: "").code == "unauthenticated")
            #expect(try await api.call("ListRooms", "{}", authorization: "Bearer x").code == "unauthenticated")
            #expect(try await api.call("ListRooms", "{}", authorization: api.token).status == 401)
            let foreign = AccessToken.mint(TokenClaims(issuer: "key"), secret: "other")
            #expect(try await api.call("ListRooms", "{}", authorization: "Bearer \(foreign)").status == 401)
        }
    }

    @Test func otherVerbsAndTypesAreBadRoutes() async throws {
        try await withCallServer { server in
            let api = RoomAPI.admin(server)
            for (verb, type) in [("GET", "application/json"), ("POST", "text/plain"), ("POST", nil)] {
                let answer = try await api.call("ListRooms", "{}", type: type, verb: verb)
                #expect(answer.status == 404 && answer.code == "bad_route")
                let route = JSONValue.string("\(verb) /twirp/livekit.RoomService/ListRooms")
                #expect(answer.json["meta"] == .object(["twirp_invalid_route": route]))
            }
            #expect(try await api.call("ListRooms", "{}", type: "Application/JSON; charset=utf-8").status == 200)
            #expect(try await api.call("ListRooms", #"{"names":[],"unknown":1}"#).status == 200)
        }
    }

    @Test func movingIsSaidNotToBeThere() async throws {
        try await withCallServer { server in
            var api = RoomAPI.admin(server)
            api.grant.destinationRoom = "q"
            let body = #"{"room":"r","identity":"a","destination_room":"q"}"#
            for method in ["MoveParticipant", "ForwardParticipant"] {
                let answer = try await api.call(method, body)
                #expect(answer.status == 501 && answer.code == "unimplemented")
            }
        }
    }

    @Test(arguments: TwirpError.Code.allCases)
    func statusesFollowTheCode(code: TwirpError.Code) {
        let wanted: [String: UInt] = [
            "unauthenticated": 401, "not_found": 404, "bad_route": 404, "malformed": 400, "invalid_argument": 400,
            "failed_precondition": 412, "internal": 500, "unavailable": 503, "already_exists": 409,
            "resource_exhausted": 429, "unimplemented": 501, "deadline_exceeded": 408,
        ]
        #expect(TwirpError(code, "x").response.status.code == wanted[code.rawValue])
    }
}

import Foundation
import OpenTokSignalling
import Testing

@testable import CallServer

/// Clients come, go, and come back, on real HTTP and WebSockets.
@Suite(.timeLimit(.minutes(10))) struct OpenTokJoinTests {
    @Test(arguments: [OpenTokToken.Form.jwt, .plain])
    func twoClientsMeet(form: OpenTokToken.Form) async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada", form: form)
            let bob = try await OpenTokTestClient.join(server.port, session, id: "bob", form: form)
            let came = try await ada.next { event -> RaptorConnection? in
                if case .connectionCreated(let connection) = event { connection } else { nil }
            }
            #expect(came.id == "bob" && came.data == "name=bob")
            let state = try await bob.state()
            #expect(state.connections.map(\.id) == ["ada", "bob"])
            try await ada.ask(.signal(to: nil, id: "1", SignalContent(type: "chat", data: "hi")))
            #expect(try await bob.signals(until: "hi") == ["hi"])
            #expect(try await ada.signals(until: "hi") == ["hi"])
            await bob.send(.disconnect)
            let gone = try await ada.next { event -> RaptorReason? in
                if case .connectionDeleted("bob", let reason) = event { reason } else { nil }
            }
            #expect(gone == .clientDisconnected)
        }
    }

    @Test func whoHasNoTokenHasNoInformationAndNoSocket() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let other = try await OpenTokTestApplication(port: server.port).makeSession()
            let foreign = try OpenTokTestApplication.token(other)
            for (id, token, status) in [
                (session.text, "garbage", 403), (session.text, foreign, 400), ("2_garbage", foreign, 400),
            ] {
                let response = try await OpenTokTestClient.info(server.port, id, token: token)
                #expect(response.status == status && response.body.contains("errorMessage"))
            }
            let forged = "/v2/messaging/key/\(session.text)/\(OpenTokTestApplication.now).1.x?socketId=a"
            for (path, status) in [
                (forged, 403), ("/v2/messaging/other/\(session.text)/1.1.x?socketId=a", 404),
                ("/v2/messaging/key/2_x/1.1.x?socketId=a", 404), ("/v2/messaging/key/\(session.text)/1.1.x", 400),
                ("/v2/messaging/key", 404),
            ] {
                let client = try await HTTPTestClient.connect(server.port)
                client.send(WebSocketBytes.handshake(path))
                #expect(try await client.response().status == status, "\(path)")
                client.close()
            }
        }
    }

    @Test func aSocketThatIsLostLosesNoSignalAndDoublesNone() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let bob = try await OpenTokTestClient.join(server.port, session, id: "bob")
            try await ada.ask(.signal(to: "bob", id: "0", SignalContent(data: "0")))
            #expect(try await bob.signals(until: "0") == ["0"])
            await bob.drop()
            for number in 1...20 {
                try await ada.ask(.signal(to: "bob", id: "\(number)", SignalContent(data: "\(number)")))
            }
            try await bob.comeBack()
            #expect(try await bob.signals(until: "20") == (1...20).map(String.init))
            // What was asked for before the loss and is asked for again is done once.
            let request = RaptorRequest.signal(to: "ada", id: "x", SignalContent(data: "once"))
            let transaction = await bob.begin(request)
            await bob.again(transaction, request)
            try await bob.ask(.signal(to: "ada", id: "y", SignalContent(data: "end")))
            #expect(try await ada.signals(until: "end") == ["once", "end"])
            // Nobody has seen anybody leave.
            let deletions = try await ada.settled().filter {
                if case .connectionDeleted = $0 { true } else { false }
            }
            #expect(deletions.isEmpty)
        }
    }

    @Test func nobodyComesBackInAnothersPlace() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let eve = try await OpenTokTestClient.join(server.port, session, id: "eve", .subscriber)
            let token = try OpenTokTestApplication.token(session)
            let mallory = try await OpenTokTestClient.connect(server.port, session, id: "other", token: token)
            await ada.drop()
            // With the id of one, and the ticket of another.
            let thief = try await OpenTokTestClient.connect(server.port, session, id: "ada", token: token)
            #expect(try await thief.closeCode() == 1011)
            try await ada.comeBack(ticketOf: eve)
            #expect(try await ada.closeCode() == 1011)
            try await ada.comeBack()
            #expect(try await ada.state().connections.map(\.id) == ["ada", "eve"])
            await mallory.drop()
        }
    }

    @Test func whoComesBackToNothingIsToldToStayAway() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            await ada.close(code: 1000)
            #expect(try await ada.closeCode() == 1000)
            try await ada.comeBack()
            #expect(try await ada.closeCode() == 1011)
            #expect(await server.statistics().participants == 0)
        }
    }

    @Test func strangersFramesEndTheirConnectionAlone() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let token = try OpenTokTestApplication.token(session)
            let hostile: [(bytes: [UInt8], code: Int)] = [
                ([], 1002), ([0, 0, 0, 1], 1002), ([255, 255, 255, 255, 0, 0, 2, 0], 1002),
                ([0, 0, 0, 4, 0, 0, 77, 0], 1002), ((try? RumorFrame.subscribe("/elsewhere").encoded()) ?? [], 1002),
            ]
            for (number, (bytes, code)) in hostile.enumerated() {
                let eve = try await OpenTokTestClient.connect(server.port, session, id: "eve\(number)", token: token)
                await eve.send(raw: bytes)
                #expect(try await eve.closeCode() == code, "\(bytes)")
            }
            let eve = try await OpenTokTestClient.connect(server.port, session, id: "eve", token: token)
            await eve.send(raw: Array("text".utf8), opcode: 1)
            #expect(try await eve.closeCode() == 1003)
            #expect(try await ada.settled().isEmpty)
        }
    }

    @Test func aRoleIsHeldOnTheWire() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession(.relayed)
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada", .subscriber)
            let signal = RaptorRequest.signal(to: nil, id: "1", SignalContent(data: "d"))
            #expect(try await ada.ask(signal).status == 403)
            let stream = RaptorStream(id: "s", channels: [RaptorChannel(id: "a", kind: .audio)])
            #expect(try await ada.ask(.publish(stream)).status == 403)
            #expect(try await ada.ask(.forceDisconnect(connection: "x")).status == 403)
            let mod = try await OpenTokTestClient.join(server.port, session, id: "mod", .moderator)
            for (type, data, status) in [
                ("t", 8193, 413), ("t", 8192, 200), (String(repeating: "t", count: 129), 1, 413),
            ] {
                let content = SignalContent(type: type, data: String(repeating: "d", count: data))
                #expect(try await mod.ask(.signal(to: nil, id: "1", content)).status == status)
            }
            #expect(try await mod.ask(.forceDisconnect(connection: "ada")).status == 200)
            let reason = try await ada.next { event -> RaptorReason? in
                if case .connectionDeleted("ada", let reason) = event { reason } else { nil }
            }
            #expect(reason == .forceDisconnected)
            #expect(try await ada.closeCode() == 1000)
        }
    }

    @Test func aServerThatIsFullSaysSo() async throws {
        try await withCallServer {
            $0.limits.participants = 1
            $0.limits.sessionsPerProject = 1
        } _: { server in
            let application = OpenTokTestApplication(port: server.port)
            let (first, second) = (try await application.makeSession(), try await application.makeSession())
            let ada = try await OpenTokTestClient.join(server.port, first, id: "ada")
            let token = try OpenTokTestApplication.token(first)
            let bob = try await OpenTokTestClient.connect(server.port, first, id: "bob", token: token)
            #expect(try await bob.closeCode() == 1011)
            let other = try OpenTokTestApplication.token(second)
            let eve = try await OpenTokTestClient.connect(server.port, second, id: "eve", token: other)
            #expect(try await eve.closeCode() == 1011)
            #expect(try await ada.state().connections.count == 1)
        }
    }
}

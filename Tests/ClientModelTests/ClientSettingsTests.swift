import ConversationModel
import Foundation
import Testing

@testable import ClientModel

@Suite struct ClientConfigurationTests {
    private static let good = ClientConfiguration(serverURL: "https://chat.example", apiKey: "visitor-key")

    private static func fault(_ change: (inout ClientConfiguration) -> Void) -> ClientError? {
        var configuration = good
        change(&configuration)
        do { try configuration.validate() } catch { return error }
        return nil
    }

    @Test(arguments: [
        "https://chat.example", "http://127.0.0.1:7880", "HTTPS://chat.example/path", "http://[::1]:80",
        "https://[fe80::1]",
    ]) func urlsThatWillDo(url: String) { #expect(Self.fault { $0.serverURL = url } == nil) }

    @Test(arguments: [
        "", "chat.example", "ftp://chat.example", "https://", "https://user:secret@chat.example",
        "https://chat.example:0",
        "https://chat.example:65536", "https://chat.example:80x", "https://a b", "https://chat.example?x=1",
        "https://[]",
        "https://exämple", "https://chat.example#x", "http://[::1", "https://chat.example\\@evil",
    ]) func urlsThatWillNot(url: String) {
        let error = Self.fault { $0.serverURL = url }
        #expect(error?.code == .invalidConfiguration && error?.field == "serverURL")
    }

    @Test func eachFieldIsNamed() {
        #expect(Self.fault { _ in } == nil)
        let faults: [(String, (inout ClientConfiguration) -> Void)] = [
            ("apiKey", { $0.apiKey = "" }), ("apiKey", { $0.apiKey = "with blank" }),
            ("apiKey", { $0.apiKey = "a\r\nX: y" }), ("entryPath", { $0.entryPath = "co" }),
            ("entryPath", { $0.entryPath = "/a?b" }),
            ("displayName", { $0.displayName = String(repeating: "x", count: 129) }),
            ("namedArea", { $0.namedArea = "" }), ("cookies", { $0.cookies = [ClientCookie(name: "a b", value: "1")] }),
            ("startTimeout", { $0.startTimeout = 99 }), ("interceptorTimeout", { $0.interceptorTimeout = 0 }),
            ("queuedMessages", { $0.queuedMessages = 0 }),
        ]
        for (field, change) in faults {
            let error = Self.fault(change)
            #expect(error?.field == field)
            #expect(error?.message.hasPrefix(field) == true || field == "cookies")
            #expect(error?.isFatal == false)
        }
    }

    @Test func aFileLeavesOutWhatHasADefault() throws {
        let json = #"{"serverURL":"https://a","apiKey":"k","namedArea":"loans","startTimeout":5000}"#
        let configuration = try JSONDecoder().decode(ClientConfiguration.self, from: Data(json.utf8))
        #expect(configuration.namedArea == "loans" && configuration.startTimeout == 5_000)
        #expect(configuration.interceptorTimeout == 10_000)
        let copy = try JSONDecoder().decode(
            ClientConfiguration.self, from: try JSONEncoder().encode(configuration))
        #expect(copy == configuration)
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(ClientConfiguration.self, from: Data(#"{"apiKey":"k"}"#.utf8))
        }
    }

    @Test func anEnvironmentNamesWhatItLacks() throws {
        let configuration = try ClientConfiguration(environment: [
            "CALLBRIDGE_SERVER_URL": "https://a", "CALLBRIDGE_API_KEY": "k", "CALLBRIDGE_NAMED_AREA": "loans",
        ])
        #expect(configuration.apiKey == "k" && configuration.namedArea == "loans" && configuration.displayName.isEmpty)
        do {
            _ = try ClientConfiguration(environment: ["CALLBRIDGE_SERVER_URL": "https://a"])
            Issue.record("no error")
        } catch {
            #expect(error.field == "CALLBRIDGE_API_KEY")
        }
    }
}

@Suite struct CookieJarTests {
    @Test func theLastSetBeforeAStartWins() throws {
        var jar = CookieJar([ClientCookie(name: "a", value: "1"), ClientCookie(name: "b", value: "2")])
        #expect(jar.header(now: 0) == "a=1; b=2")
        try jar.set([ClientCookie(name: "c", value: "3")])
        jar.run(true)
        #expect(jar.header(now: 0) == "c=3")
    }

    @Test func whileRunningNamesGiveWayAndOthersAreAdded() throws {
        var jar = CookieJar([ClientCookie(name: "a", value: "1"), ClientCookie(name: "b", value: "2")])
        jar.run(true)
        try jar.set([ClientCookie(name: "b", value: "9"), ClientCookie(name: "c", value: "3")])
        #expect(jar.header(now: 0) == "a=1; b=9; c=3")
    }

    @Test func theyOutliveAStop() throws {
        var jar = CookieJar([ClientCookie(name: "a", value: "1")])
        jar.run(true)
        try jar.set([ClientCookie(name: "b", value: "2")])
        jar.run(false)
        jar.run(true)
        #expect(jar.header(now: 0) == "a=1; b=2")
    }

    @Test func expiredOnesAreNotSent() {
        let jar = CookieJar([
            ClientCookie(name: "a", value: "1", expiresAt: 1_000), ClientCookie(name: "b", value: "2"),
        ])
        #expect(jar.header(now: 999) == "a=1; b=2")
        #expect(jar.header(now: 1_000) == "b=2")
        #expect(CookieJar().header(now: 0) == nil)
    }

    @Test(arguments: ["", "a=b", "a;b", "ü", "a\r\nEvil: 1", "a b"]) func names(name: String) {
        var jar = CookieJar()
        #expect(throws: ClientError.self) { try jar.set([ClientCookie(name: name, value: "1")]) }
        #expect(jar.cookies.isEmpty)
    }

    @Test(arguments: ["a b", "a;b", "a\r\nX: y", "\"q\"", "ü"]) func values(value: String) {
        var jar = CookieJar()
        #expect(throws: ClientError.self) {
            try jar.set([ClientCookie(name: "good", value: "1"), ClientCookie(name: "n", value: value)])
        }
        #expect(jar.cookies.isEmpty, "all or nothing")
    }

    @Test func thereIsABound() {
        var jar = CookieJar()
        #expect(throws: ClientError.self) {
            try jar.set((0...CookieJar.capacity).map { ClientCookie(name: "c\($0)", value: "1") })
        }
    }
}

@Suite struct NamedAreaTests {
    /// Before or after the start, and what follows for the configuration, for new requests.
    @Test(
        arguments: [
            (initial: "a", before: nil, after: nil, configuration: "a", queue: "a"),
            (initial: "a", before: "b", after: nil, configuration: "b", queue: "b"),
            (initial: "a", before: nil, after: "c", configuration: "a", queue: "c"),
            (initial: "a", before: "b", after: "c", configuration: "b", queue: "c"),
        ] as [(initial: String, before: String?, after: String?, configuration: String, queue: String)])
    func twoPhases(
        row: (initial: String, before: String?, after: String?, configuration: String, queue: String)
    ) throws {
        var area = NamedArea(row.initial)
        if let before = row.before { try area.set(before) }
        area.run(true)
        if let after = row.after { try area.set(after) }
        #expect(area.configuration == row.configuration && area.queue == row.queue)
        area.run(false)
        area.run(true)
        #expect(area.configuration == row.queue, "the next start loads what was set last")
    }

    @Test func namesHaveBounds() {
        var area = NamedArea()
        #expect(throws: ClientError.self) { try area.set("") }
        #expect(throws: ClientError.self) { try area.set(String(repeating: "x", count: 129)) }
        #expect(area == NamedArea())
    }
}

@Suite struct ModuleRegistryTests {
    private struct Module: ClientModule {
        var name: ModuleName
    }

    private static func code(_ body: () throws(ClientError) -> Void) -> ClientError.Code? {
        do { try body() } catch { return error.code }
        return nil
    }

    @Test func duplicateLateMissing() throws {
        var registry = ModuleRegistry()
        try registry.register(Module(name: .call))
        #expect(Self.code { () throws(ClientError) in try registry.register(Module(name: .call)) } == .duplicateModule)
        registry.seal()
        #expect(
            Self.code { () throws(ClientError) in try registry.register(Module(name: .coBrowsing)) }
                == .moduleRegisteredLate)
        #expect(registry.names == [.call])
        #expect(try registry.require(.call, to: "call").name == .call)
        #expect(
            Self.code { () throws(ClientError) in _ = try registry.require(.coBrowsing, to: "share the screen") }
                == .moduleNotRegistered)
    }

    @Test func aCopyThatIsNotSealedGoesOn() throws {
        var mine = ModuleRegistry()
        try mine.register(Module(name: .call))
        var theirs = mine
        theirs.seal()
        try mine.register(Module(name: .coBrowsing))
        #expect(theirs.names == [.call] && mine.names.count == 2)
    }
}

@Suite struct UIRequestsTests {
    @Test func aVisibleViewIsNotAskedFor() {
        var requests = UIRequests(role: .visitor)
        #expect(requests.apply(.wanted(.incomingCall, byUser: false)) == .show(.incomingCall, requestedByUser: false))
        #expect(requests.apply(.viewChanged(isVisible: true)) == nil)
        #expect(requests.apply(.wanted(.incomingCall, byUser: true)) == nil)
    }

    /// Role, button of that role, layer: what a press and a layer ask for.
    @Test(arguments: [PersonRole.visitor, .agent], [false, true]) func collapseIsTheServersWord(
        role: PersonRole, isOn: Bool
    ) {
        var requests = UIRequests(role: role)
        let property =
            role == .visitor
            ? "com.unblu.visitor.ui.showOverviewActionBarCollapseAction"
            : "com.unblu.agent.mobile.ui.showInboxActionBarCollapseAction"
        requests.collapse = CollapseSettings(properties: [property: isOn])
        #expect(requests.apply(.collapsePressed(conversation: "c")) == nil, "it is not there")
        _ = requests.apply(.viewChanged(isVisible: true))
        #expect(
            requests.apply(.collapsePressed(conversation: "c"))
                == (isOn ? .hide(.collapseButtonPressed, conversation: "c") : nil))
        #expect(requests.apply(.layerActivated(conversation: "c")) == nil)
    }

    @Test func layers() {
        var requests = UIRequests(role: .agent)
        requests.collapse = CollapseSettings(properties: [
            "com.unblu.conversation.ui.autoCollapseIndividualUiOnLayerActivation": true, "unknown": true,
        ])
        _ = requests.apply(.viewChanged(isVisible: true))
        #expect(requests.apply(.layerActivated(conversation: nil)) == .hide(.layerActivated, conversation: nil))
    }
}

@Suite struct ClientErrorTests {
    @Test func fatalOnes() {
        let fatal = ClientError.Code.allCases.filter { ClientError($0, "x").isFatal }
        #expect(Set(fatal) == [.incompatibleServer, .internalError])
        #expect(!ClientError(.authorization, "x").isFatal && !ClientError(.unreachable, "x").isFatal)
    }
}

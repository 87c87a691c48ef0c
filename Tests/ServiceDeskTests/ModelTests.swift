import Foundation
import ServiceDesk
import ServiceDeskCore
import Testing

@Suite struct ModelTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-05-01T12:00:00Z", 1_777_636_800_000),
            ("2028-02-29T23:59:59.999Z", 1_835_481_599_999), ("1969-12-31T23:59:59Z", -1_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("9999-12-31T23:59:59.001Z", 253_402_300_799_001),
        ] as [(String, Int64)]) func datesAreReadAndWritten(text: String, milliseconds: Int64)
    {
        #expect(DeskDate(text)?.milliseconds == milliseconds)
        #expect(DeskDate(milliseconds: milliseconds).text == text)
    }

    @Test(arguments: [
        "", "2026-05-01", "2026-05-01T12:00:00", "2026-05-01T12:00:00+02:00", "2026-13-01T12:00:00Z",
        "2026-02-29T12:00:00Z", "2026-05-01T24:00:00Z", "2026-05-01T12:60:00Z", "2026-05-01T12:00:00.Z",
        "2026-05-01T12:00:00.1234567890Z", "2026-05-01 12:00:00Z", "20x6-05-01T12:00:00Z", "0000-05-01T12:00:00Z",
        "2026-05-01T12:00:00.1a3Z", "２026-05-01T12:00:00Z",
    ]) func otherDatesAreNone(text: String) { #expect(DeskDate(text) == nil) }

    /// Foundation's calendar knows the same days.
    @Test func datesAgreeWithTheCalendar() throws {
        let formatter = ISO8601DateFormatter()
        var generator = TestGenerator(seed: 3339)
        for _ in 0..<2_000 {
            let seconds = Int64.random(in: -12_219_292_800...250_000_000_000, using: &generator)
            let text = DeskDate(milliseconds: seconds * 1_000).text
            #expect(text == formatter.string(from: Date(timeIntervalSince1970: Double(seconds))))
            #expect(DeskDate(text)?.milliseconds == seconds * 1_000)
        }
        #expect(DeskDate(milliseconds: .max).text == "9999-12-31T23:59:59.999Z")
        #expect(DeskDate(milliseconds: .min).text == "0001-01-01T00:00:00Z")
    }

    @Test func withoutAnApplicationThereIsNoChat() {
        for appID in [nil, "", "a\u{7}b", String(repeating: "a", count: 201)] {
            #expect(throws: DeskError.self) { try DeskCredentials(appID: appID, deviceID: "d") }
        }
        do throws(DeskError) {
            _ = try ServiceDesk(server: "http://127.0.0.1:1", appID: nil, store: DeskLocalStore(deviceID: "d"))
            Issue.record("a chat without an application")
        } catch { #expect(error.code == .missingAppID) }
    }

    @Test func theModesExcludeEachOther() throws {
        let anonymous = try DeskCredentials(appID: "a", deviceID: "d")
        #expect(anonymous.authentication == .anonymous && anonymous.owner == .device("d"))
        let external = try DeskCredentials(appID: "a", deviceID: "d", userID: "u", securityKey: "k")
        #expect(external.owner == .user("u"))
        #expect(external.authentication == .external(userID: "u", securityKey: "k"))
        #expect(throws: DeskError.self) { try DeskCredentials(appID: "a", deviceID: "d", securityKey: "k") }
        #expect(throws: DeskError.self) { try DeskCredentials(appID: "a", deviceID: "d", userID: "u") }
        #expect(throws: DeskError.self) { try DeskCredentials(appID: "a", deviceID: "") }
    }

    @Test(arguments: [0, 1, 100, 101]) func identifiersHaveBounds(length: Int) {
        // Scalars count: four bytes of UTF-8 each.
        for unit in ["k", "😀"] {
            let text = String(repeating: unit, count: length)
            let isFit = (1...100).contains(length)
            let user = try? DeskCredentials(appID: "a", deviceID: "d", userID: text, securityKey: "k")
            let key = try? DeskCredentials(appID: "a", deviceID: "d", userID: "u", securityKey: text)
            #expect((user != nil) == isFit && (key != nil) == isFit)
        }
    }

    @Test func aKeyChangesAndAUserDoesNot() throws {
        var credentials = try DeskCredentials(appID: "a", deviceID: "d", userID: "u", securityKey: "k")
        try credentials.rotate(securityKey: "k2")
        #expect(credentials.authentication == .external(userID: "u", securityKey: "k2"))
        #expect(throws: DeskError.self) { try credentials.rotate(securityKey: String(repeating: "k", count: 101)) }
        var anonymous = try DeskCredentials(appID: "a", deviceID: "d")
        #expect(throws: DeskError.self) { try anonymous.rotate(securityKey: "k") }
    }

    @Test func theConfigurationHasDefaults() throws {
        let configuration = ServiceDeskConfiguration()
        #expect(configuration.userName == "Guest" && configuration.chatTitle == "Support")
        #expect(configuration.welcomeMessage == nil && configuration.avatarForSupport == nil)
        #expect(configuration.color() == .init(red: 0, green: 0.4784313725, blue: 1))
        let tint = ServiceDeskConfiguration.Color(red: 1, green: 0, blue: 0)
        #expect(configuration.color(tint: tint) == tint)
        var themed = configuration
        themed.themeColor = .init(red: 0, green: 1, blue: 0)
        #expect(themed.color(tint: tint) == .init(red: 0, green: 1, blue: 0))
        let read = try JSONDecoder().decode(ServiceDeskConfiguration.self, from: Data(#"{"chatTitle":"Help"}"#.utf8))
        #expect(read.chatTitle == "Help" && read.userName == "Guest")
        #expect(throws: DeskError.self) {
            var wrong = configuration
            wrong.userName = ""
            try wrong.validate()
        }
        #expect(throws: DeskError.self) {
            var wrong = configuration
            wrong.themeColor = .init(red: .nan, green: 0, blue: 0)
            try wrong.validate()
        }
        let desk = try ServiceDesk(server: "http://h", appID: "a", store: DeskLocalStore(deviceID: "d"))
        #expect(desk.configuration == configuration)
    }

    @Test func chatsOfOthersAreHiddenAndNotMixed() throws {
        let device = try DeskCredentials(appID: "a", deviceID: "d")
        let user = try DeskCredentials(appID: "a", deviceID: "d", userID: "d", securityKey: "k")
        let other = try DeskCredentials(appID: "a/user:d", deviceID: "d")
        var store = DeskLocalStore(deviceID: "d")
        let comment = DeskComment(
            id: 1, body: "mine", isInbound: true, createdAt: .none, author: DeskAuthor(name: "Guest"))
        var history = DeskHistory()
        #expect(history.merge([comment]) == [comment] && history.merge([comment]).isEmpty)
        store[device] = history
        #expect(store[user].comments.isEmpty && store[other].comments.isEmpty)
        #expect(store[device].comments == [comment] && store.count == 1)
        let again = try DeskJSON.read(DeskLocalStore.self, try DeskJSON.bytes(store))
        #expect(again == store)
    }

    @Test func aDeviceKeepsSixteenChats() throws {
        var store = DeskLocalStore(deviceID: "d")
        for number in 0..<20 {
            var history = DeskHistory()
            history.usedAt = DeskDate(milliseconds: Int64(number == 0 ? 1_000 : number))
            store[try DeskCredentials(appID: "app-\(number)", deviceID: "d")] = history
        }
        #expect(store.count == 16)
        #expect(store[try DeskCredentials(appID: "app-0", deviceID: "d")].usedAt.milliseconds == 1_000)
        #expect(store[try DeskCredentials(appID: "app-1", deviceID: "d")].usedAt == .none)
        #expect(DeskLocalStore().deviceID.utf8.count == 32 && DeskLocalStore() != DeskLocalStore())
    }

    @Test func aHistoryKeepsTheNewestThousand() {
        var history = DeskHistory()
        let all = (1...1_200).map {
            DeskComment(id: $0, body: "", isInbound: false, createdAt: .none, author: DeskAuthor(name: ""))
        }
        #expect(history.merge(all.shuffled()).map(\.id) == all.map(\.id))
        #expect(history.comments.map(\.id) == Array(201...1_200))
    }
}

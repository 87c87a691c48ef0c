import ArgumentParser
import CallBridge
import Testing

@testable import callagent

/// What the command line takes, and what it says where it doesn't.
@Suite struct CommandLineTests {
    @Test func aJournalIsCheckedLineByLine() throws {
        let call =
            #""callId":"c","conversationId":"v","serviceProviderCallId":"v","serviceProviderType":"LIVEKIT","#
            + #""initiatorPersonId":"a","callType":"AUDIO""#
        let begin =
            #"{"eventType":"conversation.call.initiated","timestamp":1,"id":"1","initiationTimestamp":1,\#(call)}"#
        let end =
            #"{"eventType":"conversation.call.ended","timestamp":2,"id":"2","initiationTimestamp":1,"endTimestamp":2,"#
            + #""endReason":"ABORTED_BY_INITIATOR",\#(call)}"#
        let whole = try JournalCommand.check(begin + "\n\n" + end + "\n")
        #expect(whole.events.count == 2 && whole.violations.isEmpty)
        #expect(try JournalCommand.check(begin).violations.map(\.rule) == [.endedOnceAndLast])
        #expect(throws: JournalFileError(line: 3, field: nil, problem: "is no JSON object")) {
            _ = try JournalCommand.check(begin + "\n\nnonsense")
        }
    }

    @Test func pictureFormats() throws {
        let format = try #require(PictureFormat(argument: "1280x720@15"))
        #expect((format.width, format.height, format.frameRate) == (1280, 720, 15))
        #expect(PictureFormat(argument: "640x360")?.frameRate == 30)
    }

    @Test(arguments: [
        "", "x", "640", "640x", "640x360@", "640x360@0", "0x0@30", "640x360@abc", "99999x99999@30", "-1x-1",
    ])
    func brokenPictureFormats(text: String) { #expect(PictureFormat(argument: text) == nil) }

    @Test(arguments: [
        ["call", "--participants", "1"], ["call", "--participants", "21"], ["call", "--duration", "0"],
        ["call", "--duration", "5.9"], ["call", "--participants", "20"],
        ["call", "--server", "ws://127.0.0.1:1"], ["call", "--mute", "nobody"], ["call", "--picture", "big"],
        ["join", "--url", "ws://h"], ["join", "--url", "ws://h", "--token", "t", "--tone", "5"],
        ["join", "--url", "ws://h", "--token", "t", "--tone", "440", "--say", "x"],
        ["serve"], ["serve", "--secret", "s", "--port", "70000"], ["serve", "--secret", ""],
        ["ring", "--server", "http://h", "--key", "k", "--secret", "s", "--identity", "i"], ["journal"],
        ["ring", "--server", "http://h", "--key", "k", "--secret", "s", "--identity", "i", "--to", ","],
        ["answer", "--server", "http://h", "--key", "k", "--secret", "s", "--identity", "i", "--after", "-1"],
        ["decline", "--key", "k", "--secret", "s", "--identity", "i"],
        ["call", "--media-plane", "other"], ["call", "--media-plane", "livekit", "--provider", "fake"],
        ["call", "--downlink-feedback", "twcc"], ["call", "--downlink-feedback", "transport-cc", "--provider", "fake"],
        [
            "call", "--downlink-feedback", "transport-cc", "--server", "ws://127.0.0.1:1", "--key", "k", "--secret",
            "s",
        ],
        [
            "call", "--media-plane", "livekit", "--server", "ws://127.0.0.1:1", "--key", "k", "--secret", "s",
        ],
        ["token", "mint", "--key", "k"], ["doctor", "--port", "0"], ["nonsense"], ["call", "--log-level", "loud"],
    ])
    func wrongCommandLinesAreRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { _ = try CallAgent.parseAsRoot(arguments) }
    }

    @Test(arguments: [
        ["call", "--ring", "--journal", "f"], ["journal", "f", "--json"],
        ["ring", "--server", "http://h", "--key", "k", "--secret", "s", "--identity", "i", "--to", "b,c", "--to", "d"],
        ["answer", "--server", "http://h", "--key", "k", "--secret", "s", "--identity", "i", "--locked-for", "2"],
        ["call"], ["call", "--participants", "6", "--duration", "30", "--json", "--mute", "bob"],
        [
            "join", "--url", "ws://h:1", "--key", "k", "--secret", "s", "--room", "r", "--identity", "i", "--tone",
            "440",
        ],
        ["serve", "--secret", "s", "--srtp", "libsrtp2"], ["serve", "--secret", "s", "--dtls", "libssl"],
        ["call", "--dtls", "own"], ["doctor", "--json"],
        ["chat", "--server", "http://h:1", "--app", "a"], ["chat-server"], ["chat-server", "run", "--app", "a"],
        ["chat-server", "webhooks", "--count", "3"],
        ["serve", "--secret", "s", "--media-plane", "livekit"], ["call", "--media-plane", "livekit"],
        ["serve", "--secret", "s", "--downlink-feedback", "transport-cc"],
        ["call", "--downlink-feedback", "transport-cc"],
        ["token", "mint", "--key", "k", "--secret", "s", "--room", "r", "--identity", "i", "--ttl", "-5"],
    ])
    func rightCommandLinesAreTaken(arguments: [String]) throws { _ = try CallAgent.parseAsRoot(arguments) }
}

import Testing

@testable import MediaCore

@Suite struct RelayWatchTests {
    @Test func aVerdictWaitsForEverybodyAndIsGivenOnce() {
        var watch = RelayWatch()
        watch.beginLookup()
        watch.beginLookup()
        watch.isComplete = true
        #expect(watch.verdict() == nil)
        #expect(watch.found("udp a ada") == true)
        watch.lookupFailed("b has no address")
        #expect(watch.verdict() == nil, "one may still answer")
        watch.failed("udp a ada", "a refuses")
        let why = watch.verdict()
        #expect(why?.contains("b has no address; a refuses") == true)
        #expect(watch.verdict() == nil)
    }

    @Test func anotherServerIsAnotherChance() {
        var watch = RelayWatch()
        watch.isComplete = true
        #expect(watch.verdict()?.contains("no usable TURN server") == true)
        watch.beginLookup()
        #expect(watch.verdict() == nil)
        #expect(watch.found("tcp a ada") == true)
        watch.beginLookup()
        #expect(watch.found("tcp a ada") == false, "known already")
        #expect(watch.verdict() == nil)
        watch.failed("tcp a ada", "a is gone")
        #expect(watch.verdict()?.contains("a is gone") == true)
    }

    @Test func faultsNameTheTextAndTheRemedy() {
        func fault(_ url: String, _ user: String = "", _ secret: String = "") -> String? {
            SessionICEServer(urls: [url], username: user, credential: secret).fault
        }
        #expect(fault("stun:stun.example.org") == nil)
        #expect(fault("turn:[2001:db8::1]:3478?transport=tcp", "ada", "s") == nil)
        #expect(fault("turns:turn.example.org", "ada", "s") == nil)
        #expect(fault("turn:turn.example.org")?.contains("needs a user name and a credential") == true)
        #expect(fault("turn:turn.example.org", "ada")?.contains("needs a user name and a credential") == true)
        #expect(fault("stuns:turn.example.org")?.contains("write stun:turn.example.org") == true)
        for url in ["", "turn", "http://a", "turn:a?transport=sctp", "turn:a:99999", "stun:"] {
            #expect(fault(url, "ada", "s")?.hasPrefix("\"\(url)\" is no STUN or TURN URL; write ") == true)
        }
        #expect(SessionICEServer(urls: []).fault != nil)
    }
}

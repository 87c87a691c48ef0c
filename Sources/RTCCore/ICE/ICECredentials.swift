/// User name fragment and password of one side for one ICE generation, RFC 8839 section 5.4.
package struct ICECredentials: Hashable, Sendable {
    /// 4...256 ice-chars (letters, digits, `+`, `/`).
    package var ufrag: String
    /// 22...256 ice-chars; keys the MESSAGE-INTEGRITY of checks that are sent *to* its owner.
    package var pwd: String

    package init(ufrag: String, pwd: String) {
        self.ufrag = ufrag
        self.pwd = pwd
    }

    /// Fresh credentials: 48 random bits of ufrag and 144 of password.
    package static func random() -> ICECredentials {
        var random = ICERandom(seed: nil)
        return ICECredentials(using: &random)
    }

    init(using random: inout ICERandom) {
        ufrag = random.text(count: 8)
        pwd = random.text(count: 24)
    }

    /// Whether both parts have the lengths and characters that RFC 8839 section 5.4 asks for.
    package var isWellFormed: Bool {
        (4...256).contains(ufrag.utf8.count) && (22...256).contains(pwd.utf8.count)
            && ufrag.utf8.allSatisfy(ICECredentials.isICEChar) && pwd.utf8.allSatisfy(ICECredentials.isICEChar)
    }

    private static func isICEChar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

import RTCWire

@testable import RTCCore

/// STUN messages as another implementation would send them.
enum STUNFixture {
    struct Request {
        var username: String
        var password: String
        var priority: UInt32? = 0x6e7f_1eff
        var controlling: UInt64?
        var controlled: UInt64?
        var useCandidate = false
        var unknownAttribute: STUNAttribute?
        var hasIntegrity = true
        var hasFingerprint = true
        var transactionID = STUNTransactionID(high: 1, low: 2)

        init(username: String, password: String) {
            self.username = username
            self.password = password
        }

        /// A check that `agent` accepts; the remote ufrag is `ufrag` where the agent knows none.
        init(to agent: borrowing ICEAgent, ufrag: String = "peer") {
            let remote = agent.remoteCredentials?.ufrag ?? ufrag
            self.init(username: "\(agent.localCredentials.ufrag):\(remote)", password: agent.localCredentials.pwd)
            if agent.role == .controlling { controlled = 1 } else { controlling = 1 }
        }

        var bytes: [UInt8] {
            STUNFixture.build(.request, transactionID) { builder in
                builder.add(.username, username)
                if let priority { builder.add(.priority, priority) }
                if let controlling { builder.add(.iceControlling, controlling) }
                if let controlled { builder.add(.iceControlled, controlled) }
                if useCandidate { builder.add(.useCandidate) }
                if let unknownAttribute { builder.add(unknownAttribute, UInt32(1)) }
                let key = HMACSHA1(password: password)
                if hasIntegrity { builder.addIntegrity { key.authenticate($0, into: $1) } }
                if hasFingerprint { builder.addFingerprint() }
            }
        }
    }

    static func success(_ id: STUNTransactionID, mapped: TransportAddress, key: HMACSHA1) -> [UInt8] {
        build(.success, id) { builder in
            builder.addXOR(.xorMappedAddress, mapped)
            builder.addIntegrity { key.authenticate($0, into: $1) }
            builder.addFingerprint()
        }
    }

    static func build(
        _ messageClass: STUNClass, _ id: STUNTransactionID, _ body: (inout STUNMessageBuilder) -> Void
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            var builder = STUNMessageBuilder(messageClass, .binding, id, into: UnsafeMutableRawBufferPointer(buffer))
            body(&builder)
            count = builder.finish()
        }
    }
}

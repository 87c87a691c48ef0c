/// What somebody is in a conversation, as the server's configuration names it.
public enum CoBrowsingParticipant: UInt8, Sendable, Hashable, CaseIterable {
    /// The agent who has the conversation.
    case assignedAgent = 0
    /// The visitor whose conversation it is.
    case contextPerson = 1
    /// Another agent.
    case secondaryAgent = 2
    /// Another visitor.
    case secondaryVisitor = 3

    /// As configuration writes it.
    public var name: String {
        switch self {
        case .assignedAgent: "ASSIGNED_AGENT"
        case .contextPerson: "CONTEXT_PERSON"
        case .secondaryAgent: "SECONDARY_AGENT"
        case .secondaryVisitor: "SECONDARY_VISITOR"
        }
    }

    static func bits(_ set: Set<CoBrowsingParticipant>) -> UInt8 { set.reduce(0) { $0 | 1 << $1.rawValue } }

    static func set(_ bits: UInt8) throws(CoBrowsingWireError) -> Set<CoBrowsingParticipant> {
        guard bits < 16 else { throw CoBrowsingWireError("there are four types of participants") }
        return Set(allCases.filter { bits >> $0.rawValue & 1 == 1 })
    }
}

/// What the server's configuration says of co-browsing.
public struct CoBrowsingProperties: Sendable, Hashable {
    /// Frames a second at most, 1 to 30.
    public var framesPerSecond = 5
    /// Who has the button with which sharing is stopped.
    public var controls = Set(CoBrowsingParticipant.allCases)
    /// Whether a frame is drawn around what is shared.
    public var showsCapturingFrame = true

    /// Five frames a second, and both indicators.
    public init() {}

    /// From the properties of a server's configuration. Unknown ones are left, and what can't be read is as if it were not
    /// there.
    public init(properties: [String: String]) {
        self.init()
        if let rate = properties["com.unblu.mobiledevice.iosMaxFpsRate"].flatMap({ Int($0) }),
            CoBrowsingBounds.rates.contains(rate)
        {
            framesPerSecond = rate
        }
        if let list = properties["com.unblu.conversation.collaboration.showLayerControls"] {
            let names = Set(list.split { $0 == "," || $0 == " " }.map { $0.uppercased() })
            controls = controls.filter { names.contains($0.name) }
        }
        if let frame = properties["com.unblu.conversation.collaboration.showVisitorLayerCapturingFrame"] {
            showsCapturingFrame = frame.uppercased() != "NONE"
        }
    }
}

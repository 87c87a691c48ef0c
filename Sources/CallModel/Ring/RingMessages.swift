/// A device of a person, as ringing reaches it.
public struct RingDevice: Sendable, Hashable, Codable {
    /// Whose it is.
    public var personId: String
    /// Which of their devices.
    public var deviceToken: String

    /// A device.
    public init(personId: String, deviceToken: String) {
        self.personId = personId
        self.deviceToken = deviceToken
    }
}

/// A call that is to be placed: whom it rings for.
public struct RingRequest: Sendable, Hashable, Codable {
    /// The call's id; empty lets the exchange choose one.
    public var callId: String
    /// The conversation that it belongs to.
    public var conversationId: String
    /// Sound, or sound and pictures.
    public var callType: CallType
    /// The caller's name for people.
    public var callerName: String
    /// The people it rings for first, and after them further groups, one after another.
    public var groups: [[String]]
    /// Those of whom one must be in the call, or it ends; none counts everybody.
    public var mandatory: [String]

    /// A call to place.
    public init(
        callId: String = "", conversationId: String, callType: CallType = .audio, callerName: String = "",
        groups: [[String]], mandatory: [String] = []
    ) {
        self.mandatory = mandatory
        self.callId = callId
        self.conversationId = conversationId
        self.callType = callType
        self.callerName = callerName
        self.groups = groups
    }

    private enum CodingKeys: String, CodingKey {
        case callId, conversationId, callType, callerName, groups, mandatory
    }

    /// Reads a request's object; `mandatory` may be absent.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            callId: try fields.decode(String.self, forKey: .callId),
            conversationId: try fields.decode(String.self, forKey: .conversationId),
            callType: try fields.decode(CallType.self, forKey: .callType),
            callerName: try fields.decode(String.self, forKey: .callerName),
            groups: try fields.decode([[String]].self, forKey: .groups),
            mandatory: try fields.decodeIfPresent([String].self, forKey: .mandatory) ?? [])
    }
}

/// What a ringing device is told of the call.
public struct RingOffer: Sendable, Hashable, Codable {
    /// The call.
    public var callId: String
    /// Its conversation.
    public var conversationId: String
    /// Sound, or sound and pictures.
    public var callType: CallType
    /// Who calls.
    public var callerPersonId: String
    /// Their name for people.
    public var callerName: String
    /// When the call was placed.
    public var callStartTimestamp: CallTime
    /// Until when it rings here.
    public var ringsUntil: CallTime
    /// `CALLING`, or `FORWARDING` where others were asked before.
    public var callState: CallPhase

    /// An offer from its parts.
    public init(
        callId: String, conversationId: String, callType: CallType, callerPersonId: String, callerName: String,
        callStartTimestamp: CallTime, ringsUntil: CallTime, callState: CallPhase = .calling
    ) {
        self.callId = callId
        self.conversationId = conversationId
        self.callType = callType
        self.callerPersonId = callerPersonId
        self.callerName = callerName
        self.callStartTimestamp = callStartTimestamp
        self.ringsUntil = ringsUntil
        self.callState = callState
    }
}

/// Why a device rings no longer, or may not answer.
public enum RingWithdrawal: String, Sendable, Hashable, Codable, CaseIterable {
    /// Somebody else answered, or the same person on another device.
    case answeredElsewhere = "ANSWERED_ELSEWHERE"
    /// The same person declined on another device.
    case declinedElsewhere = "DECLINED_ELSEWHERE"
    /// It rang for as long as it may.
    case timeout = "TIMEOUT"
    /// The caller gave up.
    case aborted = "ABORTED"
    /// The call has ended.
    case ended = "ENDED"
    /// There is no such call, or it does not ring here.
    case unknownCall = "UNKNOWN_CALL"
}

/// What devices say to the exchange.
public enum RingCommand: Sendable, Hashable {
    /// Place a call.
    case place(RingRequest)
    /// Take it here.
    case answer(callId: String)
    /// Don't take it, on no device of this person.
    case decline(callId: String)
    /// The caller gives up.
    case abort(callId: String)
    /// Our connection to the provider stands.
    case connected(callId: String)
    /// Leave a call that was answered.
    case hangUp(callId: String, ParticipantLeftReason)

    /// The call that it is about; empty for one that is yet to be placed.
    public var callId: String {
        switch self {
        case .place(let request): request.callId
        case .answer(let id), .decline(let id), .abort(let id), .connected(let id), .hangUp(let id, _): id
        }
    }
}

/// What the exchange says to devices.
public enum RingSignal: Sendable, Hashable {
    /// It rings here.
    case offer(RingOffer)
    /// The answer counts: the call is taken here.
    case granted(callId: String)
    /// The answer came too late, or was none.
    case refused(callId: String, RingWithdrawal)
    /// It rings no longer; or, after an answer, the call is over.
    case withdrawn(callId: String, RingWithdrawal)
    /// To the caller: where the call stands.
    case progress(callId: String, CallPhase)
    /// To the caller: the call is over.
    case ended(callId: String, CallEndReason)

    /// The call that it is about.
    public var callId: String {
        switch self {
        case .offer(let offer): offer.callId
        case .granted(let id), .refused(let id, _), .withdrawn(let id, _), .progress(let id, _), .ended(let id, _): id
        }
    }
}

/// Carries ringing between a device and the exchange, in order in each direction. Nothing of a client needs to run for it.
public protocol RingTransport: Sendable {
    /// The device that it speaks for.
    var device: RingDevice { get }
    /// What the exchange says to the device from now on; one reader. The stream ends when the transport closes.
    func signals() async throws -> AsyncStream<RingSignal>
    /// Says something to the exchange. Returns the id of the call that it was about, which is new after `place`.
    @discardableResult func send(_ command: RingCommand) async throws -> String
    /// Ends it.
    func close() async
}

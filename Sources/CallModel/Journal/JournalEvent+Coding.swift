extension JournalEvent: Codable {
    private enum CodingKeys: String, CodingKey {
        case schema = "$_type"
        case eventType, timestamp, id, callId, accountId, conversationId, serviceProviderCallId, serviceProviderType
        case initiatorPersonId, callType
        case initiationTimestamp, acceptTimestamp, establishedTimestamp, endTimestamp, endReason
        case personId, joinedTimestamp, connectedTimestamp, leftTimestamp, leftReason, publishedMedia
        case recipient, locale, deviceTokens, deviceToken, callState, callStartTimestamp, callerName, callerPersonId
        case callEndReason
        case dialInServiceProviderType, dialInId, dialInNumber, startTimestamp
        case gapMilliseconds, rule, detail
    }

    /// Writes the fields that the event has, under the vendor's names.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(eventType.schema, forKey: .schema)
        try fields.encode(eventType, forKey: .eventType)
        try fields.encode(timestamp, forKey: .timestamp)
        try fields.encode(id, forKey: .id)
        try fields.encode(callId, forKey: .callId)
        if !accountId.isEmpty { try fields.encode(accountId, forKey: .accountId) }
        try fields.encode(conversationId, forKey: .conversationId)
        try fields.encode(serviceProviderCallId, forKey: .serviceProviderCallId)
        try fields.encode(serviceProviderType, forKey: .serviceProviderType)
        try fields.encode(initiatorPersonId, forKey: .initiatorPersonId)
        try fields.encode(callType, forKey: .callType)
        try encodeCall(&fields)
        try encodePerson(&fields)
        try encodeRinging(&fields)
        try fields.encodeIfPresent(dialInServiceProviderType, forKey: .dialInServiceProviderType)
        try fields.encodeIfPresent(dialInId, forKey: .dialInId)
        try fields.encodeIfPresent(dialInNumber, forKey: .dialInNumber)
        try fields.encodeIfPresent(startTimestamp, forKey: .startTimestamp)
        try fields.encodeIfPresent(gapMilliseconds, forKey: .gapMilliseconds)
        try fields.encodeIfPresent(rule, forKey: .rule)
        try fields.encodeIfPresent(detail, forKey: .detail)
    }

    private func encodeCall(_ fields: inout KeyedEncodingContainer<CodingKeys>) throws {
        try fields.encodeIfPresent(initiationTimestamp, forKey: .initiationTimestamp)
        try fields.encodeIfPresent(acceptTimestamp, forKey: .acceptTimestamp)
        try fields.encodeIfPresent(establishedTimestamp, forKey: .establishedTimestamp)
        try fields.encodeIfPresent(endTimestamp, forKey: .endTimestamp)
        try fields.encodeIfPresent(endReason, forKey: .endReason)
    }

    private func encodePerson(_ fields: inout KeyedEncodingContainer<CodingKeys>) throws {
        try fields.encodeIfPresent(personId, forKey: .personId)
        try fields.encodeIfPresent(joinedTimestamp, forKey: .joinedTimestamp)
        try fields.encodeIfPresent(connectedTimestamp, forKey: .connectedTimestamp)
        try fields.encodeIfPresent(leftTimestamp, forKey: .leftTimestamp)
        try fields.encodeIfPresent(leftReason, forKey: .leftReason)
        try fields.encodeIfPresent(publishedMedia, forKey: .publishedMedia)
    }

    private func encodeRinging(_ fields: inout KeyedEncodingContainer<CodingKeys>) throws {
        try fields.encodeIfPresent(recipient, forKey: .recipient)
        try fields.encodeIfPresent(locale, forKey: .locale)
        try fields.encodeIfPresent(deviceTokens, forKey: .deviceTokens)
        try fields.encodeIfPresent(deviceToken, forKey: .deviceToken)
        try fields.encodeIfPresent(callState, forKey: .callState)
        try fields.encodeIfPresent(callStartTimestamp, forKey: .callStartTimestamp)
        try fields.encodeIfPresent(callerName, forKey: .callerName)
        try fields.encodeIfPresent(callerPersonId, forKey: .callerPersonId)
        try fields.encodeIfPresent(callEndReason, forKey: .callEndReason)
    }

    /// Reads a line; fields that no event has are passed over.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let type = try fields.decode(JournalEventType.self, forKey: .eventType)
        var call = CallRecord(
            id: try fields.decode(String.self, forKey: .callId),
            conversationId: try fields.decode(String.self, forKey: .conversationId),
            serviceProviderCallId: try fields.decode(String.self, forKey: .serviceProviderCallId),
            serviceProviderType: try fields.decode(String.self, forKey: .serviceProviderType),
            initiatorPersonId: try fields.decode(String.self, forKey: .initiatorPersonId),
            callType: try fields.decode(CallType.self, forKey: .callType))
        call.accountId = try fields.decodeIfPresent(String.self, forKey: .accountId) ?? ""
        self.init(
            type, of: call, id: try fields.decode(String.self, forKey: .id),
            at: try fields.decode(CallTime.self, forKey: .timestamp))
        try decodeCallAndPerson(fields)
        try decodeRinging(fields)
        dialInServiceProviderType = try fields.decodeIfPresent(String.self, forKey: .dialInServiceProviderType)
        dialInId = try fields.decodeIfPresent(String.self, forKey: .dialInId)
        dialInNumber = try fields.decodeIfPresent(String.self, forKey: .dialInNumber)
        startTimestamp = try fields.decodeIfPresent(CallTime.self, forKey: .startTimestamp)
        gapMilliseconds = try fields.decodeIfPresent(Int64.self, forKey: .gapMilliseconds)
        rule = try fields.decodeIfPresent(JournalRule.self, forKey: .rule)
        detail = try fields.decodeIfPresent(String.self, forKey: .detail)
    }

    private mutating func decodeCallAndPerson(_ fields: KeyedDecodingContainer<CodingKeys>) throws {
        initiationTimestamp = try fields.decodeIfPresent(CallTime.self, forKey: .initiationTimestamp)
        acceptTimestamp = try fields.decodeIfPresent(CallTime.self, forKey: .acceptTimestamp)
        establishedTimestamp = try fields.decodeIfPresent(CallTime.self, forKey: .establishedTimestamp)
        endTimestamp = try fields.decodeIfPresent(CallTime.self, forKey: .endTimestamp)
        endReason = try fields.decodeIfPresent(CallEndReason.self, forKey: .endReason)
        personId = try fields.decodeIfPresent(String.self, forKey: .personId)
        joinedTimestamp = try fields.decodeIfPresent(CallTime.self, forKey: .joinedTimestamp)
        connectedTimestamp = try fields.decodeIfPresent(CallTime.self, forKey: .connectedTimestamp)
        leftTimestamp = try fields.decodeIfPresent(CallTime.self, forKey: .leftTimestamp)
        leftReason = try fields.decodeIfPresent(ParticipantLeftReason.self, forKey: .leftReason)
        publishedMedia = try fields.decodeIfPresent(PublishedMedia.self, forKey: .publishedMedia)
    }

    private mutating func decodeRinging(_ fields: KeyedDecodingContainer<CodingKeys>) throws {
        recipient = try fields.decodeIfPresent(Recipient.self, forKey: .recipient)
        locale = try fields.decodeIfPresent(String.self, forKey: .locale)
        deviceTokens = try fields.decodeIfPresent([String].self, forKey: .deviceTokens)
        deviceToken = try fields.decodeIfPresent(String.self, forKey: .deviceToken)
        callState = try fields.decodeIfPresent(CallPhase.self, forKey: .callState)
        callStartTimestamp = try fields.decodeIfPresent(CallTime.self, forKey: .callStartTimestamp)
        callerName = try fields.decodeIfPresent(String.self, forKey: .callerName)
        callerPersonId = try fields.decodeIfPresent(String.self, forKey: .callerPersonId)
        callEndReason = try fields.decodeIfPresent(MissedReason.self, forKey: .callEndReason)
    }
}

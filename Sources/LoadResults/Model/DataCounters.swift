/// What became of messages and of remote procedure calls in a whole run.
package struct DataCounters: Codable, Sendable, Equatable {
    /// Messages that publishers sent, once for each receiver, by the numbers that they carry.
    package var messagesExpected = 0
    package var messagesReceived = 0
    /// Expected, and never received.
    package var messagesLost = 0
    package var messagesDuplicated = 0
    /// Remote procedure calls that were made, answered, and neither: those failed for another reason than that the other side
    /// was not there.
    package var rpcCalls = 0
    package var rpcAnswers = 0
    package var rpcFailures = 0

    package init() {}

    package mutating func add(_ other: DataCounters) {
        messagesExpected = messagesExpected.saturatingAdd(other.messagesExpected)
        messagesReceived = messagesReceived.saturatingAdd(other.messagesReceived)
        messagesLost = messagesLost.saturatingAdd(other.messagesLost)
        messagesDuplicated = messagesDuplicated.saturatingAdd(other.messagesDuplicated)
        rpcCalls = rpcCalls.saturatingAdd(other.rpcCalls)
        rpcAnswers = rpcAnswers.saturatingAdd(other.rpcAnswers)
        rpcFailures = rpcFailures.saturatingAdd(other.rpcFailures)
    }
}

import CallModel
import WebClient

/// Downloads what describes calls.
enum DescriptorDownload {
    /// Status and body of the answer. Throws `CallError`.
    ///
    /// - Parameter place: what people call the server, for the error.
    static func fetch(_ request: WebRequest, from place: String) async throws(CallError) -> WebAnswer {
        do {
            return try await WebClient.send(request)
        } catch {
            throw failure(error, place)
        }
    }

    /// What a failed request means.
    static func failure(_ failure: WebFailure, _ place: String) -> CallError {
        switch failure {
        case .refused(let refusal): CallError(refusal)
        case .tls: CallError(.configuration, .unreachable, "\(failure)")
        case .notAURL, .notHTTP, .tooLarge, .tooManyRedirections:
            CallError(.provider, .protocolViolation, "\(place) can't be used: \(failure); is this the right server?")
        case .unreachable, .timedOut, .closed:
            CallError(.network, .unreachable, "\(place) does not answer (\(failure)); is it running?")
        }
    }

    /// The beginning of an answer, for people, without what was sent along.
    static func excerpt(_ bytes: [UInt8], without secrets: [String]) -> String {
        RemoteText.excerpt(bytes, without: secrets)
    }
}

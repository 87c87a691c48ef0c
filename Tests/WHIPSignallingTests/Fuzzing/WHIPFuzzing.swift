import RTCWire
import WHIPSignalling

/// What fuzz targets do with one input: see `WireFuzzing`.
///
/// This folder is also a target of the package in Fuzz/.
package enum WHIPFuzzing {
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("sdpfrag", { fragment($0) }), ("whip", { session($0) }),
    ]

    /// What is read can be written, and reads the same again.
    package static func fragment(_ input: UnsafeRawBufferPointer) {
        do throws(TrickleFragmentError) {
            let read = try TrickleFragment(parsing: input)
            let again = try TrickleFragment(parsing: read.description.utf8)
            precondition(again == read)
            for section in read.media { precondition(section.candidates.count <= TrickleFragment.mostLines) }
        } catch { precondition(!error.description.isEmpty) }
    }

    /// One byte says which request, the rest is its body: whatever comes, every request has an answer, and an ended session
    /// stays so.
    package static func session(_ input: UnsafeRawBufferPointer) {
        guard let first = input.first else { return }
        let role = first & 1 == 0 ? WHIPRole.publisher : .viewer
        var session = WHIPSession(role: role, location: "/whip/r/session/s", salt: "s")
        let body = Array(input.dropFirst())
        if case .negotiate(let offer) = session.begin(
            WHIPRequest(method: "POST", contentType: "application/sdp", body: first & 2 == 0 ? seed : body))
        {
            precondition(!offer.isEmpty)
            precondition(first & 4 == 0 ? session.answered(offer).status == 201 : session.refused("no").status == 422)
        }
        let patch = WHIPRequest(
            method: "PATCH", contentType: TrickleFragment.contentType,
            ifMatch: first & 8 == 0 ? "*" : session.entityTag,
            body: body)
        switch session.handle(patch) {
        case .reply(let response): precondition((200..<500).contains(response.status))
        case .negotiate(let offer):
            let status = session.restarted(offer).status
            precondition(status == 200 || status == 422)
        case .end: preconditionFailure("a PATCH ends nothing")
        }
        _ = session.handle(WHIPRequest(method: "DELETE"))
        precondition(session.handle(patch) == .reply(.noSession))
    }

    private static let seed = Array(
        """
        v=0
        o=- 1 1 IN IP4 0.0.0.0
        s=-
        t=0 0
        m=audio 9 UDP/TLS/RTP/SAVPF 111
        a=mid:0
        a=ice-ufrag:abcd
        a=ice-pwd:abcdefghijklmnopqrstuv
        a=rtcp-mux
        a=sendrecv
        """.utf8)
}

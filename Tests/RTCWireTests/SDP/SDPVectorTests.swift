import Testing

@testable import RTCWire

@Suite struct SDPVectorTests {
    @Test func allVectorsAreThere() {
        #expect(SDPVectors.names.count == 83)
    }

    @Test(arguments: SDPVectors.names) func survivesARoundTrip(_ name: String) throws {
        let bytes = try SDPVectors.bytes(name)
        let session = try SDPSession(parsing: bytes)
        #expect(session.encoded() == bytes)
        #expect(try SDPSession(parsing: session.description) == session)
    }

    @Test(arguments: SDPVectors.names) func hasWhatEveryPeerWrites(_ name: String) throws {
        let session = try SDPSession(parsing: try SDPVectors.bytes(name))
        #expect(session.origin?.address.isEmpty == false)
        #expect(session.sessionName == "-")
        #expect(session.timing == "0 0")
        #expect(session.bundle == session.media.map { $0.mid ?? "" })
        for section in session.media where !section.isRejected {
            #expect(section.iceUfrag?.isEmpty == false)
            #expect(section.icePwd?.isEmpty == false)
            #expect(section.setup == .active || section.setup == .actpass || section.setup == .passive)
            #expect((section.fingerprints.first ?? session.fingerprints.first)?.algorithm == "sha-256")
            #expect(section.connection != nil)
            #expect(section.rtcpMux == (section.kind != .application))
            if section.kind == .application { #expect(section.sctpPort == 5000) }
        }
    }

    /// Each typed value writes itself as it was read.
    @Test(arguments: SDPVectors.names) func typedValuesSurvive(_ name: String) throws {
        let session = try SDPSession(parsing: try SDPVectors.bytes(name))
        #expect(session.values("group") == session.groups.map(\.description))
        for section in session.media {
            #expect(section.values("rtpmap") == section.rtpmaps.map(\.description))
            #expect(section.values("fmtp") == section.formatParameters.map { "\($0.format) \($0.parameters)" })
            #expect(section.values("rtcp-fb") == section.rtcpFeedback.map(\.description))
            #expect(section.values("extmap") == section.extmaps.map(\.description))
            #expect(section.values("msid") == section.msids.map(\.description))
            #expect(section.values("ssrc") == section.ssrcs.map(\.description))
            #expect(section.values("ssrc-group") == section.ssrcGroups.map(\.description))
            #expect(section.values("rid") == section.rids.map(\.description))
            #expect(section.values("simulcast") == [section.simulcast?.description].compactMap { $0 })
            #expect(section.values("candidate") == section.candidates.map(\.description))
            #expect(section.values("fingerprint") == section.fingerprints.map(\.description))
            #expect(section.candidates.allSatisfy { $0.address != nil })
        }
    }

    @Test func publisherOfferOfThePythonClient() throws {
        let session = try SDPSession(
            parsing: try SDPVectors.text("lk-python-v1-06-offer.python-livekit1.2.0-libwebrtc.sdp"))
        #expect(session.origin?.sessionID == "8797945226692293241")
        #expect(session.origin?.sessionVersion == "5")
        #expect(session.extmapAllowMixed)
        #expect(
            session.media.map(\.kind.text).joined(separator: " ")
                == "audio audio audio video video video application audio video")
        #expect(
            session.media.map(\.direction.rawValue) == [
                "recvonly", "recvonly", "recvonly", "recvonly", "recvonly", "recvonly", "sendrecv", "sendonly",
                "sendonly",
            ])
        let audio = session.media[7]
        #expect(audio.msids == [SDPStreamID(streamID: "-", trackID: "99080d99-8b6c-48a9-864e-203f797e3628")])
        #expect(Set(audio.ssrcs.map(\.ssrc)) == [3_643_085_256])
        #expect(audio.rtpmaps.first == SDPRTPMap(payloadType: 111, name: "opus", clockRate: 48000, channels: 2))
        #expect(audio.formatParameters.first?.parameters["stereo"] == "1")
        #expect(audio.iceOptions == ["trickle", "goog-sped-v1"])
        let video = session.media[8]
        #expect(video.rids.map(\.id) == ["f", "h", "q"])
        #expect(video.rids.map(\.sends) == [true, true, true])
        #expect(video.simulcast?.send.map { $0.map(\.rid) } == [["f"], ["h"], ["q"]])
        #expect(video.ssrcs.isEmpty)
        #expect(video.rtcpFeedback.map(\.name) == ["goog-remb", "transport-cc", "ccm fir", "nack", "nack pli"])
        #expect(session.media[6].value("sctp-init") == "AQAAHsYpDfYAUAAA/////xUjXsXAAAAEgAgABoLA")
        #expect(session.media[6].maxMessageSize == 262_144)
        #expect(session.media(mid: "3")?.formats.count == 23)
    }

    @Test func subscriberOfferOfTheServer() throws {
        let session = try SDPSession(
            parsing: try SDPVectors.text("lk-python-v0-11-offer.livekit-server1.13.5-pion.sdp"))
        #expect(session.fingerprints.count == 1)
        let video = session.media[2]
        #expect(video.fingerprints.isEmpty)
        #expect(video.extmaps.map(\.id) == [3, 1, 2])
        #expect(video.ssrcGroups == [SDPSourceGroup(semantics: "FID", ssrcs: [3_921_632_784, 3_708_613_118])])
        #expect(
            video.ssrcs.first { $0.attribute == "msid" }?.value == "PA_XSdPDs2HN36o|TR_VCZFEknN2apdKc TR_VCZFEknN2apdKc"
        )
        #expect(session.media[0].candidates.map(\.component) == [1, 2])
        #expect(session.media[0].endOfCandidates)
        #expect(session.media[0].candidates[0].ufrag == "dkYrgVBZNlOovBoi")
    }

    @Test func severalFingerprintsAndEncryptedExtensions() throws {
        let aiortc = try SDPSession(parsing: try SDPVectors.text("aiortc1.16.0-offer.sdp"))
        #expect(aiortc.media[0].fingerprints.map(\.algorithm) == ["sha-256", "sha-384", "sha-512"])
        #expect(aiortc.media[0].fingerprints.map(\.value.count) == [32, 48, 64])
        let chromium = try SDPSession(parsing: try SDPVectors.text("vp8-simulcast-offer.chromium156.sdp"))
        let encrypted = chromium.media[0].extmaps.filter(\.isEncrypted)
        #expect(encrypted.map(\.attributes) == ["http://www.webrtc.org/experiments/rtp-hdrext/corruption-detection"])
        #expect(chromium.media[0].extmaps.map(\.id).max() == 17)
        #expect(chromium.media[0].candidates[1].tcpType == "active")
    }
}

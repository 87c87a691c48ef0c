import LiveKitProtocol
import RoomModel
import SFUCore

// The messages that say one thing each.

extension Livekit_SignalResponse {
    static func participants(_ infos: [Livekit_ParticipantInfo]) -> Self { .with { $0.update.participants = infos } }

    static func room(_ info: Livekit_Room) -> Self { .with { $0.roomUpdate.room = info } }

    /// A track is known, and has this sid.
    static func published(_ track: LiveKitTrack) -> Self {
        .with {
            $0.trackPublished = .with {
                $0.cid = track.cid
                $0.track = track.info
            }
        }
    }

    static func unpublished(_ sid: String) -> Self { .with { $0.trackUnpublished.trackSid = sid } }

    /// Somebody gets the track.
    static func subscribed(_ sid: String) -> Self { .with { $0.trackSubscribed = .with { $0.trackSid = sid } } }

    static func mute(_ sid: String, _ isMuted: Bool) -> Self {
        .with {
            $0.mute.sid = sid
            $0.mute.muted = isMuted
        }
    }

    static func permission(_ subscription: Subscription, isAllowed: Bool) -> Self {
        .with {
            $0.subscriptionPermissionUpdate = .with {
                $0.participantSid = subscription.publisher
                $0.trackSid = subscription.track
                $0.allowed = isAllowed
            }
        }
    }

    /// A track can't be had.
    static func subscriptionFailed(_ track: String, _ error: Livekit_SubscriptionError) -> Self {
        .with {
            $0.subscriptionResponse = .with {
                $0.trackSid = track
                $0.err = error
            }
        }
    }

    static func speakers(_ speakers: [RoomEvent.Speaker]) -> Self {
        .with {
            $0.speakersChanged.speakers = speakers.map { speaker in
                .with {
                    $0.sid = speaker.participant
                    $0.level = speaker.level
                    $0.active = speaker.isActive
                }
            }
        }
    }

    static func quality(_ ratings: [ConnectionRating], protocol number: Int32) -> Self {
        .with {
            $0.connectionQuality.updates = ratings.map { rating in
                .with {
                    $0.participantSid = rating.participant
                    $0.quality = Livekit_ConnectionQuality(rating.grade, protocol: number)
                    $0.score = Float(ConnectionScore.meanOpinion(rating.score))
                }
            }
        }
    }

    /// Qualities up to `layer` are wanted of a track. Told of tracks with one layer too.
    static func demand(_ track: PublishedTrack, layer: Int) -> Self {
        let qualities = [Livekit_VideoQuality.low, .medium, .high].enumerated().map { index, quality in
            Livekit_SubscribedQuality.with {
                $0.quality = quality
                $0.enabled = index <= layer
            }
        }
        return .with {
            $0.subscribedQualityUpdate = .with {
                $0.trackSid = track.id
                $0.subscribedQualities = qualities
                $0.subscribedCodecs = [
                    .with {
                        $0.codec = track.media.codec.lowercased()
                        $0.qualities = qualities
                    }
                ]
            }
        }
    }

    /// Tracks have been paused for want of bandwidth, or go on.
    static func streamStates(_ pauses: [TrackPause]) -> Self {
        .with {
            $0.streamStateUpdate.streamStates = pauses.map { pause in
                .with {
                    $0.participantSid = pause.publisher
                    $0.trackSid = pause.track
                    $0.state = pause.isPaused ? .paused : .active
                }
            }
        }
    }

    /// A request is not fulfilled; with the request.
    static func refusal(
        _ request: Livekit_RequestResponse.OneOf_Request, _ reason: Livekit_RequestResponse.Reason
    ) -> Self {
        .with {
            $0.requestResponse.reason = reason
            $0.requestResponse.request = request
        }
    }

    static func leave(_ request: Livekit_LeaveRequest) -> Self { .with { $0.leave = request } }
}

// Negotiation.
extension Livekit_SignalResponse {
    static func answer(_ sdp: String, id: UInt32, trackByMid: [String: String]) -> Self {
        .with {
            $0.answer = .with {
                $0.type = "answer"
                $0.sdp = sdp
                $0.id = id
                $0.midToTrackID = trackByMid
            }
        }
    }

    static func offer(_ sdp: String, id: UInt32, trackByMid: [String: String]) -> Self {
        .with {
            $0.offer = .with {
                $0.type = "offer"
                $0.sdp = sdp
                $0.id = id
                $0.midToTrackID = trackByMid
            }
        }
    }

    /// The client is to offer so many lines more.
    static func linesWanted(_ lines: LineCounts) -> Self {
        .with {
            $0.mediaSectionsRequirement = .with {
                $0.numAudios = UInt32(lines.audio)
                $0.numVideos = UInt32(lines.video)
            }
        }
    }

    static func candidate(_ text: String, _ target: Livekit_SignalTarget, isLast: Bool) -> Self {
        .with {
            $0.trickle = .with {
                $0.candidateInit = text
                $0.target = target
                $0.final = isLast
            }
        }
    }
}

/// What a client is to do about a leave message.
enum LeaveAction {
    /// Stay away.
    case disconnect
    /// Come back to signalling and restart ICE.
    case resume
    /// Join anew.
    case reconnect
}

extension Livekit_LeaveRequest {
    /// In the client's protocol: those up to 12 know `can_reconnect` alone and can't be told to resume.
    init?(_ reason: Livekit_DisconnectReason, _ action: LeaveAction, protocol number: Int32) {
        if number <= 12, action == .resume { return nil }
        self.init()
        self.reason = reason
        guard number > 12 else {
            canReconnect = action == .reconnect
            return
        }
        switch action {
        case .disconnect: self.action = .disconnect
        case .resume: self.action = .resume
        case .reconnect: self.action = .reconnect
        }
    }
}

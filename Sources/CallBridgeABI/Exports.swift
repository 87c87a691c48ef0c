public import CCallBridge
import CallBridge
import Glibc
import MediaCore

// What include/callbridge.h declares, and documents.

private let version = EternalText("0.1.0")

/// `callbridge_version`.
@_cdecl("callbridge_version")
public func exportedVersion() -> UnsafePointer<CChar> { version.pointer }

/// `callbridge_abi_version`.
@_cdecl("callbridge_abi_version")
public func exportedABIVersion() -> UInt32 { UInt32(CALLBRIDGE_ABI_VERSION) }

/// `callbridge_last_error`.
@_cdecl("callbridge_last_error")
public func exportedLastError() -> UnsafePointer<CChar> { LastError.pointer }

/// `callbridge_join`.
@_cdecl("callbridge_join")
public func exportedJoin(
    _ options: UnsafePointer<callbridge_options>?, _ call: UnsafeMutablePointer<callbridge_call>?
) -> Int32 {
    guarded {
        guard let call else { throw ABIError.argument("call is NULL; give a place for the handle") }
        call.pointee = 0
        let given = try Arguments.options(options)
        let url = try Arguments.text(given.url, "url", limit: 2_048)
        let token = try Arguments.text(given.token, "token", limit: 65_536)
        let kind: ProviderKind
        var session = ""
        switch given.provider {
        case CALLBRIDGE_LIVEKIT: kind = .liveKit
        case CALLBRIDGE_OPENTOK:
            kind = .openTok
            session = try Arguments.text(given.session, "session", limit: 2_048)
        default:
            throw ABIError.argument("\(given.provider) is no provider; use CALLBRIDGE_LIVEKIT or CALLBRIDGE_OPENTOK")
        }
        call.pointee = Handles.calls.add { handle in
            let descriptor = CallDescriptor(
                callId: "call-\(handle)", conversationId: session, provider: kind, serviceProviderCallId: session,
                endpoint: url, credentials: .init(token: token))
            return ABICall(descriptor, Callbacks(given.callbacks, handle))
        }
    }
}

/// `callbridge_publish_tone`.
@_cdecl("callbridge_publish_tone")
public func exportedPublishTone(_ call: callbridge_call, _ hertz: Double) -> Int32 {
    guarded {
        let call = try Handles.calls[call]
        guard (20...20_000).contains(hertz) else { throw ABIError.argument("\(hertz) Hz; use 20 to 20000") }
        try call.publish(.audio, .testTone(hertz))
    }
}

/// `callbridge_publish_test_card`.
@_cdecl("callbridge_publish_test_card")
public func exportedPublishTestCard(
    _ call: callbridge_call, _ width: Int32, _ height: Int32, _ framesPerSecond: Double, _ sender: UInt16
) -> Int32 {
    guarded {
        let call = try Handles.calls[call]
        try Arguments.check(width, height, framesPerSecond, least: (160, 90))
        try call.publishTestCard(
            width: Int(width), height: Int(height), frameRate: framesPerSecond, sender: sender)
    }
}

/// `callbridge_publish_audio`.
@_cdecl("callbridge_publish_audio")
public func exportedPublishAudio(_ call: callbridge_call, _ channels: Int32) -> Int32 {
    guarded {
        let call = try Handles.calls[call]
        guard (1...2).contains(channels) else { throw ABIError.argument("\(channels) channels; use 1 or 2") }
        try call.publishAudio(channels: Int(channels))
    }
}

/// `callbridge_push_audio`.
@_cdecl("callbridge_push_audio")
public func exportedPushAudio(
    _ call: callbridge_call, _ samples: UnsafePointer<Int16>?, _ frames: Int, _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
    guarded {
        taken?.pointee = 0
        let call = try Handles.calls[call]
        guard let audio = call.audio else {
            throw ABIError.state("no pushed sound is published; call callbridge_publish_audio first")
        }
        guard (0...480_000).contains(frames), samples != nil || frames == 0 else {
            throw ABIError.argument("samples are NULL, or there are more than 480000 frames")
        }
        let count = audio.push(UnsafeBufferPointer(start: samples, count: frames * audio.channels))
        taken?.pointee = count
    }
}

/// `callbridge_publish_video`.
@_cdecl("callbridge_publish_video")
public func exportedPublishVideo(
    _ call: callbridge_call, _ width: Int32, _ height: Int32, _ framesPerSecond: Double
) -> Int32 {
    guarded {
        let call = try Handles.calls[call]
        try Arguments.check(width, height, framesPerSecond, least: (16, 16))
        try call.publishVideo(width: Int(width), height: Int(height), frameRate: framesPerSecond)
    }
}

/// `callbridge_push_video`.
@_cdecl("callbridge_push_video")
public func exportedPushVideo(_ call: callbridge_call, _ frame: UnsafePointer<callbridge_frame>?) -> Int32 {
    guarded {
        let call = try Handles.calls[call]
        guard let video = call.video else {
            throw ABIError.state("no pushed pictures are published; call callbridge_publish_video first")
        }
        guard let frame, let y = frame.pointee.y, let u = frame.pointee.u, let v = frame.pointee.v else {
            throw ABIError.argument("the frame, or one of its planes, is NULL")
        }
        let given = frame.pointee
        guard Int(given.width) == video.width, Int(given.height) == video.height else {
            throw ABIError.argument("\(given.width)x\(given.height); \(video.width)x\(video.height) was published")
        }
        let chroma = (given.width + 1) / 2
        guard given.y_stride >= given.width, given.u_stride >= chroma, given.v_stride >= chroma else {
            throw ABIError.argument("a stride is shorter than its row")
        }
        video.push(
            I420Planes(
                y: y, u: u, v: v, yStride: Int(given.y_stride), uStride: Int(given.u_stride),
                vStride: Int(given.v_stride), width: video.width, height: video.height))
    }
}

/// `callbridge_set_muted`.
@_cdecl("callbridge_set_muted")
public func exportedSetMuted(_ call: callbridge_call, _ kind: Int32, _ muted: Int32) -> Int32 {
    guarded {
        let call = try Handles.calls[call]
        guard kind == CALLBRIDGE_AUDIO || kind == CALLBRIDGE_VIDEO else {
            throw ABIError.argument("\(kind) is no kind; use CALLBRIDGE_AUDIO or CALLBRIDGE_VIDEO")
        }
        try call.setMuted(kind == CALLBRIDGE_AUDIO ? .audio : .video, muted != 0)
    }
}

/// `callbridge_send_data`.
@_cdecl("callbridge_send_data")
public func exportedSendData(
    _ call: callbridge_call, _ bytes: UnsafePointer<UInt8>?, _ size: Int, _ topic: UnsafePointer<CChar>?,
    _ identity: UnsafePointer<CChar>?, _ reliable: Int32
) -> Int32 {
    guarded {
        let call = try Handles.calls[call]
        guard (0...15_000).contains(size), bytes != nil || size == 0 else {
            throw ABIError.argument("bytes are NULL, or there are more than 15000")
        }
        let topic = try Arguments.optional(topic, "topic", limit: 256) ?? ""
        let identity = try Arguments.optional(identity, "identity", limit: 256)
        let content = Array(UnsafeBufferPointer(start: bytes, count: size))
        try call.send(DataMessage(bytes: content, topic: topic, isReliable: reliable != 0), to: identity)
    }
}

/// `callbridge_leave`.
@_cdecl("callbridge_leave")
public func exportedLeave(_ call: callbridge_call) -> Int32 { guarded { try Handles.calls[call].leave() } }

/// `callbridge_destroy`.
@_cdecl("callbridge_destroy")
public func exportedDestroy(_ call: callbridge_call) -> Int32 { guarded { try Handles.calls.remove(call).destroy() } }

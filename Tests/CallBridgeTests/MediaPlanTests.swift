import CallBridge
import MediaCore
import Synchronization
import Testing

/// What is published, decided by permissions; and pictures added to a call of sound.
@Suite struct MediaPlanTests {
    /// Permissions that change when asked for.
    private final class Asked: MediaPermissionSource {
        let answers: [MediaKind: MediaPermission]
        let requests = Mutex<[MediaKind]>([])

        init(_ answers: [MediaKind: MediaPermission]) { self.answers = answers }

        func status(of kind: MediaKind) async -> MediaPermission { .notAsked }
        func request(_ kind: MediaKind) async -> MediaPermission {
            requests.withLock { $0.append(kind) }
            return answers[kind] ?? .denied
        }
    }

    @Test(
        arguments: [
            (.audioVideo, .granted, .granted, .audioVideo), (.audioVideo, .granted, .denied, .audio),
            (.audioVideo, .granted, .permanentlyDenied, .audio), (.audioVideo, .denied, .granted, .none),
            (.audioVideo, .permanentlyDenied, .permanentlyDenied, .none), (.audioVideo, .notAsked, .granted, .none),
            (.audio, .granted, .denied, .audio), (.audio, .denied, .granted, .none),
            (.video, .denied, .granted, .video), (.none, .denied, .denied, .none),
        ] as [(PublishedMedia, MediaPermission, MediaPermission, PublishedMedia)])
    func permissionsDecide(
        wanted: PublishedMedia, microphone: MediaPermission, camera: MediaPermission, published: PublishedMedia
    ) async throws {
        let permissions = FixedMediaPermissions(microphone: microphone, camera: camera)
        let plan = try await MediaPlan.decide(for: wanted, permissions: permissions)
        #expect(plan.publishes == published && plan.isListenOnly == (published == .none))
    }

    @Test func whatIsNotWantedIsNotAskedFor() async throws {
        let permissions = Asked([.audio: .granted, .video: .granted])
        #expect(try await MediaPlan.decide(for: .audio, permissions: permissions).publishes == .audio)
        #expect(permissions.requests.withLock { $0 } == [.audio])
        // Nobody is asked for the camera of a call in which they can't speak.
        let silent = Asked([.audio: .denied, .video: .granted])
        #expect(try await MediaPlan.decide(for: .audioVideo, permissions: silent).publishes == .none)
        #expect(silent.requests.withLock { $0 } == [.audio])
    }

    @Test(arguments: [(MediaPermission.denied, "when asked"), (.permanentlyDenied, "system's settings")])
    func withoutListeningOnlyItIsATypedError(permission: MediaPermission, remedy: String) async {
        let error = await #expect(throws: CallError.self) {
            _ = try await MediaPlan.decide(
                for: .audio, permissions: FixedMediaPermissions(microphone: permission), allowsListenOnly: false)
        }
        #expect(error?.code == .permissionDenied && error?.fault == .environment)
        #expect(error?.message.contains("microphone") == true && error?.message.contains(remedy) == true)
    }

    @Test func picturesAreAddedToACallOfSound() async throws {
        let provider = ScriptedProvider(kind: .liveKit)
        let descriptor = CallDescriptor(
            callId: "c", conversationId: "v", provider: .liveKit, serviceProviderCallId: "v",
            endpoint: "ws://127.0.0.1:1", credentials: .init(token: "t"), mediaKind: .audio)
        let bridge = CallBridge(
            configuration: .init(descriptors: FixedDescriptorSource(descriptor), providers: [.init(provider)]))
        let call = try await bridge.join(conversation: "v")
        #expect(await call.publishedMedia == .none, "listening only")
        try await call.publish(.testTone(440))
        #expect(await call.publishedMedia == .audio)
        let refused = await #expect(throws: CallError.self) {
            _ = try await call.upgradeToVideo(
                .testCard(.hd180), permissions: FixedMediaPermissions(camera: .permanentlyDenied))
        }
        #expect(refused?.code == .permissionDenied)
        try await call.upgradeToVideo(.testCard(.hd180))
        #expect(await call.publishedMedia == .audioVideo)
        await #expect(throws: CallError.self) { try await call.upgradeToVideo(.testCard(.hd180)) }
        await #expect(throws: CallError.self) { try await call.upgradeToVideo(.testTone(440)) }
        await call.leave()
        await bridge.shutdown()
    }
}

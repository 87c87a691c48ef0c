import CallBridge
import MediaCore
import ProviderFake

/// Media that was encoded once: a tone for a second and a half of each turn, nothing meanwhile, and a picture a second, which fits
/// into a packet.
struct LongCallClips {
    let sound: OpusClip
    let pictures: IVFFile

    init(frequency: Double, turnMilliseconds: Int) throws {
        var encoding = AudioEncoding()
        encoding.dtx = true
        let turns = try ScheduledAudioSource(turns: [.init(from: 0, to: 1.5, ToneSource(frequency: frequency))])
        sound = try OpusClip(turns, milliseconds: turnMilliseconds, encoding: encoding)
        pictures = try IVFFile(
            encoding: TestCardSource(sender: 1, width: 160, height: 90, frameRate: 1), pictures: 20,
            bitrate: 20_000, keyFrameInterval: 4)
    }
}

extension FakeWorld {
    /// Joins the call of that name.
    func join(
        _ name: String, _ call: String, configure: (inout CallBridge.Configuration) -> Void = { _ in }
    ) async throws -> Call {
        let descriptor = CallDescriptor(
            callId: call, conversationId: call, provider: .fake, serviceProviderCallId: call,
            endpoint: "fake:world?identity=\(name)", credentials: .init(token: nil))
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [.fake(self)])
        configuration.clock = clock
        configure(&configuration)
        return try await CallBridge(configuration: configuration).join(descriptor)
    }
}

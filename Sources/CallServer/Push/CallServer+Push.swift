import CallModel
import ClientNotifications
import ConversationService
import NIOConcurrencyHelpers
import NIOCore
import TransportSecurity

extension CallServer {
    /// Whether a device's line to the exchange stands; otherwise calls reach it by notifications alone.
    package func isListening(_ device: RingDevice) -> Bool { hub.isAttached(device) }

    /// The gateway to those who carry notifications, connected to conversations and to ringing; nil where there is none: then no
    /// device that sleeps is rung.
    func makePushes(
        _ conversations: ConversationService, on eventLoop: any EventLoop
    ) throws(CallServerError) -> PushGateway? {
        var posts: [PushCarrier: any PushPost] = [:]
        let trust = configuration.webhooks.trust
        if let apns = configuration.push.apns {
            guard let address = PushCarrierAddress(apns.url, tokenFile: apns.tokenFile, trust: trust),
                let post = try? HTTP2Post(address, on: eventLoop)
            else { throw .configuration(CallServerConfigurationError.push(apns.url).description) }
            posts[.apns] = try authorized(post, by: apns, trust)
        }
        if let fcm = configuration.push.fcm {
            guard let address = PushCarrierAddress(fcm.url, tokenFile: fcm.tokenFile, trust: trust) else {
                throw .configuration(CallServerConfigurationError.push(fcm.url).description)
            }
            posts[.fcm] = try authorized(HTTP1Post(address: address), by: fcm, trust)
        }
        guard !posts.isEmpty else { return nil }
        var settings = PushGatewaySettings()
        settings.topic = configuration.push.apnsTopic
        let gateway = PushGateway(
            posts, settings: settings, on: eventLoop, now: { WallClock.milliseconds },
            prune: { try? await conversations.prune($0, since: $1) }, logger: configuration.logger)
        conversations.setCarrier { gateway.carry($0) }
        let rings = NIOLockedValueBox(RingPushes())
        hub.wake({ conversations.pushDevices(of: $0) }) { signal, device in
            let now = CallTime(rawValue: WallClock.milliseconds)
            guard let content = rings.withLockedValue({ $0.content(signal, to: device, now: now) }) else { return }
            conversations.push(content, to: device.personId, device: device.deviceToken)
        }
        return gateway
    }

    /// With tokens of our own, where there are credentials to make them.
    private func authorized(
        _ post: any PushPost, by carrier: CallServerConfiguration.Push.Carrier, _ trust: TLSTrust
    ) throws(CallServerError) -> any PushPost {
        guard let credentials = carrier.credentials else { return post }
        let tokens = try credentials.tokens(trust: trust) { WallClock.milliseconds / 1_000 }
        return AuthorizedPost(post: post, tokens: tokens)
    }
}

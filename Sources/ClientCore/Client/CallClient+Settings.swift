import CallBridge
public import ClientModel

extension CallClient {
    /// Sets cookies of the application's own: before a start they are all there are, while the client runs they are laid over
    /// what it has. Throws `ClientError` that names one that can't be sent.
    public func setCookies(_ cookies: [ClientCookie]) throws(ClientError) { try settings.cookies.set(cookies) }

    /// The cookies that go with each request.
    public var cookies: [ClientCookie] { settings.cookies.cookies }

    /// Sets the named area: before a start its configuration is loaded; later it is where new conversations queue.
    public func setNamedArea(_ area: String?) throws(ClientError) { try settings.area.set(area) }

    /// The areas that configuration and new conversations have.
    public var namedArea: NamedArea { settings.area }

    /// The application shows the client's view, or took it away.
    public func setViewVisible(_ isVisible: Bool) {
        ask(.viewChanged(isVisible: isVisible))
        coBrowsing.indicate(.conversationWindow(isVisible: isVisible))
    }

    /// The properties of the service's configuration that say when the view may collapse.
    public func setCollapse(_ collapse: CollapseSettings) { settings.ui.collapse = collapse }

    /// The button that collapses the view was pressed. The delegate may act on it instead.
    public func pressCollapse() {
        guard delegate?.clientHandleCollapse(self) != .useCustomHandler else { return }
        ask(.collapsePressed(conversation: desk.open?.id))
    }

    /// Something wants to be seen.
    public func requestUI(_ reason: UIShowReason, requestedByUser: Bool) {
        ask(.wanted(reason, byUser: requestedByUser))
    }

    func ask(_ event: UIRequests.Event) {
        guard let request = settings.ui.apply(event) else { return }
        hub.send(.ui(request))
        switch request {
        case .show(let reason, let byUser): delegate?.client(self, didRequestShowUI: reason, requestedByUser: byUser)
        case .hide(let reason, let conversation):
            delegate?.client(self, didRequestHideUI: reason, conversation: conversation)
        }
    }
}

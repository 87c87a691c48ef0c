public import CoBrowsingModel
import Foundation

/// A page in a headless browser as a screen. Elements with the attribute `data-private` are views whose tag is its value.
///
/// Where private elements are is asked before and after each picture, until both are one, five times at most; what lies between
/// the two places is covered then.
public actor HeadlessPageSource: FrameSource {
    /// Which browser shows which page.
    public struct Configuration: Sendable {
        /// The path of Chromium's or Chrome's binary; nil takes it from the environment's `CHROMIUM`.
        public var browser: String?
        /// What is shown: `https`, `http`, `file` or `data`.
        public var url: String
        /// Pixels.
        public var size: FrameSize
        /// More arguments for the browser; as root it needs `--no-sandbox`.
        public var arguments: [String] = []

        /// A page, and how large it is shown.
        public init(browser: String? = nil, url: String, size: FrameSize) {
            self.browser = browser
            self.url = url
            self.size = size
        }
    }

    /// True.
    public nonisolated let reportsViews = true
    private var browser: BrowserPipe?
    private let session: String
    private let profile: String

    /// Starts the browser, and returns when it goes to the page. Throws `FrameSourceError` where there is none, or it does not work.
    public init(_ configuration: Configuration) async throws {
        let named = configuration.browser ?? ProcessInfo.processInfo.environment["CHROMIUM"]
        guard let binary = named, !binary.isEmpty else {
            throw FrameSourceError(
                "no browser is configured; name the path of a Chromium, or set CHROMIUM in the environment")
        }
        guard FileManager.default.isExecutableFile(atPath: binary) else {
            throw FrameSourceError("\(binary) is no program; name the path of a Chromium")
        }
        guard let scheme = configuration.url.split(separator: ":").first?.lowercased(),
            ["https", "http", "file", "data"].contains(scheme)
        else { throw FrameSourceError("\(configuration.url.prefix(200)) is no URL of a page") }
        profile = NSTemporaryDirectory() + "cobrowsing-\(UUID().uuidString)"
        let pipe = try BrowserPipe(
            binary: binary,
            arguments: [
                "--headless", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check",
                "--disable-gpu", "--hide-scrollbars", "--user-data-dir=\(profile)",
            ] + configuration.arguments + ["about:blank"])
        browser = pipe
        do { session = try await Self.open(pipe, configuration) } catch {
            try? FileManager.default.removeItem(atPath: profile)
            throw error
        }
    }

    private static func open(_ browser: BrowserPipe, _ configuration: Configuration) async throws -> String {
        struct Target: Codable { var targetId: String }
        struct Attach: Encodable {
            var targetId: String
            var flatten = true
        }
        struct Session: Decodable { var sessionId: String }
        struct Metrics: Encodable {
            var width: Int
            var height: Int
            var deviceScaleFactor = 1
            var mobile = false
        }
        let page = try await browser.call("Target.createTarget", ["url": "about:blank"], as: Target.self)
        let session = try await browser.call(
            "Target.attachToTarget", Attach(targetId: page.targetId), as: Session.self
        ).sessionId
        let size = configuration.size
        _ = try await browser.call(
            "Emulation.setDeviceMetricsOverride", Metrics(width: size.width, height: size.height), session: session,
            as: Nothing.self)
        let navigation = try await browser.call(
            "Page.navigate", ["url": configuration.url], session: session, as: Navigation.self)
        if let error = navigation.errorText {
            throw FrameSourceError("the page can't be shown: \(error)")
        }
        return session
    }

    private struct Nothing: Decodable {}
    private struct Navigation: Decodable { var errorText: String? }

    /// A picture of the page, with its private elements.
    public func capture() async throws -> ScreenFrame? {
        guard let browser else { return nil }
        var before = try await views(browser)
        for attempt in 1... {
            let picture = try await picture(browser)
            let after = try await views(browser)
            guard before == after || attempt == 5 else {
                before = after
                continue
            }
            guard var frame = PNGCodec.frame(picture) else { throw FrameSourceError("the browser sends no picture") }
            frame.views = before == after ? before : Self.swept(before, after)
            return frame
        }
        return nil
    }

    /// Covers the way from one place to the other, and what is only in one list.
    private static func swept(_ before: [ScreenFrame.View], _ after: [ScreenFrame.View]) -> [ScreenFrame.View] {
        let both = zip(before, after).map { one, other in
            ScreenFrame.View(tag: one.tag, rect: one.rect.union(other.rect))
        }
        return before + after + both
    }

    private func picture(_ browser: BrowserPipe) async throws -> [UInt8] {
        struct Options: Encodable {
            var format = "png"
            var optimizeForSpeed = true
        }
        struct Picture: Decodable { var data: Data }
        return Array(
            try await browser.call("Page.captureScreenshot", Options(), session: session, as: Picture.self).data)
    }

    private func views(_ browser: BrowserPipe) async throws -> [ScreenFrame.View] {
        struct Expression: Encodable {
            var expression: String
            var returnByValue = true
        }
        struct Evaluation: Decodable {
            struct Value: Decodable { var value: [ScreenFrame.View]? }

            var result: Value
        }
        // A pixel more on each side: edges are smoothed.
        let script = """
            [...document.querySelectorAll('[data-private]')].map(e => { const r = e.getBoundingClientRect();
            const x = Math.floor(r.left) - 1, y = Math.floor(r.top) - 1;
            return {tag: e.dataset.private, rect: {x, y, width: Math.ceil(r.right) + 1 - x, height: Math.ceil(r.bottom) + 1 - y}} })
            """
        let answer = try await browser.call(
            "Runtime.evaluate", Expression(expression: script), session: session, as: Evaluation.self)
        guard let views = answer.result.value else {
            throw FrameSourceError("the page does not say where its private elements are")
        }
        return views
    }

    /// Ends the browser, and forgets what it kept.
    public func close() async {
        guard let browser = browser.take() else { return }
        _ = try? await browser.call("Browser.close", [String: String](), as: Nothing.self)
        try? FileManager.default.removeItem(atPath: profile)
    }
}

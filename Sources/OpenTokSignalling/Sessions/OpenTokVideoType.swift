/// Where a video comes from.
package enum OpenTokVideoType: String, Hashable, Sendable, CaseIterable {
    case camera, screen, custom
}

/// What a stream carries.
package enum StreamKind: UInt8, Sendable, Hashable {
    case audio
    case video
}

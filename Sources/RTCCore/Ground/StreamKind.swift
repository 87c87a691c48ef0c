/// What a stream carries.
public enum StreamKind: UInt8, Sendable, Hashable {
    case audio
    case video
}

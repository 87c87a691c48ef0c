/// What is done with received media.
public enum MediaReception: String, Sendable, Hashable, CaseIterable {
    /// Sound is played and pictures are decoded, for whoever has attached sinks, and judged.
    case decoded
    /// Packets are taken in, asked for again and counted, and pictures assembled, as a receiver that plays them does; but no
    /// decoder runs and sinks get nothing. For load: hundreds of participants on a machine that could not decode for them.
    case counted
}

/// The E-model (ITU-T G.107) in points of its transmission rating.
enum EModel {
    /// What a delay from mouth to ear takes from the rating.
    static func impairment(delayMilliseconds delay: Double) -> Double { 0.024 * delay + 0.11 * max(delay - 177.3, 0) }
}

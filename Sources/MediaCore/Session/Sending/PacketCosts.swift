/// What packets cost beside what encoders make, in bits per second: encoders are told less than the path bears.
enum PacketCosts {
    /// UDP and IPv4 28, RTP 12, extensions 16, SRTP's tag 16, VP8's descriptor 4 bytes.
    private static let picturePacket = 76.0
    /// UDP and IPv4 28, RTP 12, extensions 8, SRTP's tag 16 bytes.
    private static let soundPacket = 64
    /// Bytes of a picture in a full packet.
    private static let fullPayload = 1_100.0

    /// What pictures at that rate come to.
    ///
    /// - Parameter pictures: of all streams, a second.
    static func withHeaders(_ bitrate: Int, pictures: Double) -> Int { bitrate + headers(Double(bitrate), pictures) }

    /// The rate of pictures that comes to so much.
    static func withoutHeaders(_ bitrate: Int, pictures: Double) -> Int {
        var rate = bitrate
        // Each turn halves the error and more, for headers are less than half of any packet.
        for _ in 0..<4 { rate = bitrate - headers(Double(max(rate, 0)), pictures) }
        return max(rate, 0)
    }

    /// A picture's last packet is half full on average.
    private static func headers(_ bitrate: Double, _ pictures: Double) -> Int {
        let packets = max(pictures, bitrate / 8 / fullPayload + pictures / 2)
        return Int(packets * picturePacket * 8)
    }

    /// What sound at that rate comes to.
    ///
    /// - Parameter copies: frames before its own that a packet repeats.
    static func sound(_ bitrate: Int, copies: Int, milliseconds: Int = 20) -> Int {
        let packets = 1_000 / max(milliseconds, 1)
        return bitrate * (1 + copies) + packets * 8 * (soundPacket + (copies == 0 ? 0 : 1 + 4 * copies))
    }
}

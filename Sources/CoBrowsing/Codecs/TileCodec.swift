package import CoBrowsingModel

/// Compresses and decodes tiles. One at a time: it is not for several threads.
package final class TileCodec {
    private let jpeg = JPEGCodec()

    package init() {}

    /// A rectangle of a frame as tiles of at most 20 KB: what is larger is halved, and what can't be halved is made worse.
    /// Empty where an encoder refuses.
    package func encode(
        _ masked: MaskedFrame, _ rect: PixelRect, _ format: TileFormat, quality: Int
    ) -> [SharerMachine.EncodedTile] {
        let rgb = masked.frame.rgb(rect)
        let most = CoBrowsingBounds.tileBytes
        let bytes = encode(rgb, rect, format, quality)
        if let bytes, bytes.count <= most { return [.init(rect: rect, format: format, bytes: bytes)] }
        if let (one, other) = TileLayout.halves(rect) {
            let (first, second) = (
                encode(masked, one, format, quality: quality), encode(masked, other, format, quality: quality)
            )
            return first.isEmpty || second.isEmpty ? [] : first + second
        }
        guard format != .png, quality > 10 else { return [] }
        return encode(masked, rect, format, quality: quality / 2)
    }

    private func encode(_ rgb: [UInt8], _ rect: PixelRect, _ format: TileFormat, _ quality: Int) -> [UInt8]? {
        switch format {
        case .jpeg: jpeg.encode(rgb, width: rect.width, height: rect.height, quality: quality)
        case .png: PNGCodec.encode(rgb, width: rect.width, height: rect.height, most: CoBrowsingBounds.tileBytes)
        case .webp: WebPCodec.encode(rgb, width: rect.width, height: rect.height, quality: quality)
        }
    }

    /// Three bytes a pixel of a tile that somebody sent. Nil where its bytes are no picture of the tile's size: that is read
    /// from the header, before a decoder sees them.
    package func decode(_ tile: CoBrowsingMessage.Tile) -> [UInt8]? {
        let (width, height) = (tile.rect.width, tile.rect.height)
        guard let header = TileImageHeader(tile.format, tile.bytes), header.width == width, header.height == height
        else { return nil }
        return switch tile.format {
        case .jpeg: jpeg.decode(tile.bytes, width: width, height: height)
        case .png: PNGCodec.decode(tile.bytes, width: width, height: height)
        case .webp: WebPCodec.decode(tile.bytes, width: width, height: height)
        }
    }
}

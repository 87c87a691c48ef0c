public import CoBrowsingModel
import Foundation
import Synchronization

/// Frames from a pipe or a file, each behind a header (docs/co-browsing.md): whatever captures a screen can be connected so.
/// The newest frame counts; those that came before it and were not asked for are left out.
public final class RawFramePipe: FrameSource {
    /// True.
    public let reportsViews = true
    private let state = Mutex(State())
    private let path: String

    private struct State {
        var newest: ScreenFrame?
        var isNew = false
        var failure: FrameSourceError?
        var isOver = false
        var isClosed = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// Throws `FrameSourceError` where the path can't be opened.
    ///
    /// - Parameter path: of a FIFO or a file; `-` is the standard input.
    public init(path: String) throws(FrameSourceError) {
        self.path = path
        // Without waiting for whoever writes: that would hold up the caller.
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw FrameSourceError("\(path) can't be opened: \(String(cString: strerror(errno)))")
        }
        Thread.detachNewThread { [weak self] in
            PipeReader(descriptor: descriptor) { self?.isClosed ?? true }.run { self?.take($0) }
            Glibc.close(descriptor)
        }
    }

    deinit { state.withLock { $0.waiter.take() }?.resume() }

    /// The newest frame.
    public func capture() async throws -> ScreenFrame? {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.newest == nil, state.failure == nil, !state.isOver, !state.isClosed else { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            // The last frame is shown before the end.
            if state.isClosed || (state.isOver && !state.isNew) { return nil }
            state.isNew = false
            return state.newest
        }
    }

    /// Nothing is captured any more.
    public func close() async {
        state.withLock {
            $0.isClosed = true; return $0.waiter.take()
        }?.resume()
    }

    private var isClosed: Bool { state.withLock(\.isClosed) }

    private func take(_ result: Result<ScreenFrame?, CoBrowsingWireError>) {
        let waiter = state.withLock { state in
            switch result {
            case .success(let frame?): (state.newest, state.isNew) = (frame, true)
            case .success(nil): state.isOver = true
            case .failure(let error): state.failure = FrameSourceError("\(path): \(error.description)")
            }
            return state.waiter.take()
        }
        waiter?.resume()
    }
}

/// Reads frames from a descriptor, on a thread of its own, to the end or the first thing that is no frame.
struct PipeReader {
    let descriptor: Int32
    let isCancelled: () -> Bool

    private enum Stop: Error {
        case cancelled
        case end
        case broken(String)
    }

    func run(_ take: (Result<ScreenFrame?, CoBrowsingWireError>) -> Void) {
        do {
            while true { take(.success(try frame())) }
        } catch let error as CoBrowsingWireError {
            take(.failure(error))
        } catch Stop.broken(let words) {
            take(.failure(CoBrowsingWireError(words)))
        } catch Stop.end {
            take(.success(nil))
        } catch {}
    }

    private func frame() throws -> ScreenFrame {
        let header = try RawFrameHeader(parsing: try read(RawFrameHeader.length, isFirst: true))
        var views: [ScreenFrame.View] = []
        for _ in 0..<header.views {
            let tag = try read(1)
            let rest = try read(try RawFrameHeader.viewLength(tag: tag[0]))
            views.append(try RawFrameHeader.view(parsing: tag + rest))
        }
        guard let frame = header.frame(try read(header.pixelBytes), views: views) else {
            throw CoBrowsingWireError("the pixels don't fit the header")
        }
        return frame
    }

    /// - Parameter isFirst: nothing of a frame has been read; the end is in order then.
    private func read(_ count: Int, isFirst: Bool = false) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var have = 0
        while have < count {
            guard !isCancelled() else { throw Stop.cancelled }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, 200) != 0 else { continue }
            let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + have, count - have) }
            if got == 0 {
                guard isFirst, have == 0 else { throw Stop.broken("it ends inside of a frame") }
                throw Stop.end
            }
            guard got > 0 else {
                if errno == EAGAIN || errno == EINTR { continue }
                throw Stop.broken(String(cString: strerror(errno)))
            }
            have += got
        }
        return bytes
    }
}

import Foundation
import MediaCore
import RTCCore

/// Do the libraries that calls need work here? Each is used, not just looked for.
enum CodecChecks {
    static func all() -> [DoctorCheck] {
        [opus(), vp8(), speech(), dtls(), LibraryChecks.openSSL(), devices()]
    }

    private static func opus() -> DoctorCheck {
        do {
            let encoder = try OpusEncoder()
            let silence = [Int16](repeating: 0, count: 960)
            var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
            let length = try silence.withUnsafeBufferPointer { samples in
                try packet.withUnsafeMutableBytes { try encoder.encode(samples, into: $0) }
            }
            return DoctorCheck(name: "libopus", state: .good, found: "encodes (\(length) bytes for 20 ms of silence)")
        } catch {
            return DoctorCheck(
                name: "libopus", state: .missing, found: "\(error)", advice: "No sound can be sent: install libopus0.")
        }
    }

    private static func vp8() -> DoctorCheck {
        do {
            let frame = VideoFrame(black: 320, by: 180)
            let begun = MediaTime.now
            let length = try VP8Encoder().encode(frame) { $0.payload.count }
            let milliseconds = Double(MediaTime.now.nanoseconds - begun.nanoseconds) / 1e6
            return DoctorCheck(
                name: "libvpx", state: .good,
                found: String(
                    format: "encodes VP8 (%d bytes for a black 320x180 picture, %.1f ms)", length, milliseconds))
        } catch {
            return DoctorCheck(
                name: "libvpx", state: .missing, found: "\(error)", advice: "No pictures can be sent: install libvpx7.")
        }
    }

    private static func speech() -> DoctorCheck {
        do {
            let samples = try SpeechSynthesizer.synthesize("one")
            return DoctorCheck(
                name: "libespeak-ng", state: .good, found: "speaks (\(samples.count / 48) ms for one word)")
        } catch {
            return DoctorCheck(
                name: "libespeak-ng", state: .limited, found: "\(error)",
                advice:
                    "No synthesised speech: `call` and `join --say` don't work. Install libespeak-ng1 and espeak-ng-data."
            )
        }
    }

    private static func dtls() -> DoctorCheck {
        do {
            let certificate = try DTLSCertificate.generate()
            return DoctorCheck(
                name: "OpenSSL", state: .good,
                found: "makes certificates (\(certificate.fingerprint.description.prefix(27))...)")
        } catch {
            return DoctorCheck(
                name: "OpenSSL", state: .missing, found: "\(error)",
                advice: "No encryption, so no calls: install libssl3.")
        }
    }

    private static func devices() -> DoctorCheck {
        guard let library = dlopen("libpulse-simple.so.0", RTLD_LAZY) else {
            return DoctorCheck(
                name: "sound system", state: .good, found: "libpulse is not installed; nothing here needs a sound card")
        }
        dlclose(library)
        return DoctorCheck(
            name: "sound system", state: .good, found: "libpulse is installed; by default nothing touches a device")
    }
}

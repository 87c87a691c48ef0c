import Foundation
import NIOCore
import NIOPosix

/// What the kernel offers to UDP.
enum KernelChecks {
    static func all() -> [DoctorCheck] {
        [offload(), buffers("rmem_max", "receive"), buffers("wmem_max", "send"), files(), cores()]
    }

    private static func offload() -> DoctorCheck {
        guard System.supportsUDPSegmentationOffload else {
            return DoctorCheck(
                name: "UDP segmentation", state: .limited, found: "the kernel has no UDP GSO",
                advice: "Forwarding video costs up to twice the processor time: use Linux 4.18 or later.")
        }
        return DoctorCheck(
            name: "UDP segmentation", state: .good,
            found: "GSO" + (System.supportsUDPReceiveOffload ? " and GRO" : ""))
    }

    /// The kernel holds socket buffers to these; 1 MiB is 0.1 s of 80 Mbit/s.
    private static func buffers(_ setting: String, _ direction: String) -> DoctorCheck {
        let path = "/proc/sys/net/core/\(setting)"
        let text = (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let text, let bytes = Int(text) else {
            return DoctorCheck(name: "UDP \(direction) buffer", state: .limited, found: "\(path) can't be read")
        }
        let isLarge = bytes >= 1 << 20
        return DoctorCheck(
            name: "UDP \(direction) buffer", state: isLarge ? .good : .limited, found: "at most \(bytes / 1024) KiB",
            advice: isLarge
                ? "" : "Bursts of many participants may be lost in this machine: sysctl -w net.core.\(setting)=4194304")
    }

    private static func files() -> DoctorCheck {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let isEnough = limit.rlim_cur >= 4096
        return DoctorCheck(
            name: "open files", state: isEnough ? .good : .limited, found: "at most \(limit.rlim_cur)",
            advice: isEnough ? "" : "Two are needed for each participant: ulimit -n 65536 for hundreds of them.")
    }

    private static func cores() -> DoctorCheck {
        DoctorCheck(
            name: "processor", state: .good,
            found: "\(System.coreCount) cores; a four-party call needs a quarter of two")
    }
}

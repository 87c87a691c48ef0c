/// What was run, where and when.
package struct RunHeader: Codable, Sendable, Equatable {
    /// The tool and its release: `callagent`, `0.1.0`.
    package var tool = "callagent"
    package var toolVersion: String
    /// The command line without its secrets.
    package var arguments: [String]
    /// Its beginning, Unix time in milliseconds (W3C's `timestamp`).
    package var timestamp: Int64
    package var machine: Machine
    /// The server, without credentials; nil for a simulated one.
    package var target: String?
    /// The scenario's name, where there is one.
    package var scenario: String?
    /// Of a run on several machines: which part this is.
    package var shard: Shard?

    package init(
        toolVersion: String, arguments: [String], timestamp: Int64, machine: Machine, target: String? = nil,
        scenario: String? = nil, shard: Shard? = nil
    ) {
        self.toolVersion = toolVersion
        self.arguments = arguments
        self.timestamp = timestamp
        self.machine = machine
        self.target = target
        self.scenario = scenario
        self.shard = shard
    }

    /// The machine that the participants ran on.
    package struct Machine: Codable, Sendable, Equatable {
        package var hostname: String
        /// `Linux 6.1.0`.
        package var kernel: String
        package var cpuModel: String
        package var cpuCount: Int
        package var memoryBytes: Int64

        package init(hostname: String, kernel: String, cpuModel: String, cpuCount: Int, memoryBytes: Int64) {
            self.hostname = hostname
            self.kernel = kernel
            self.cpuModel = cpuModel
            self.cpuCount = cpuCount
            self.memoryBytes = memoryBytes
        }
    }

    /// Which of the parts that several machines measured, from 0.
    package struct Shard: Codable, Sendable, Equatable {
        package var index: Int
        package var count: Int

        package init(index: Int, count: Int) {
            self.index = index
            self.count = count
        }
    }
}

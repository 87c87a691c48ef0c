/// Reads a file that is a story. All that is wrong is told at once.
struct StoryReader {
    private let problems = ProblemList()

    static func plan(_ root: ScenarioNode) throws(ScenarioProblems) -> StoryPlan {
        let reader = StoryReader()
        guard let file = MappingReader(root, StoryKeys.file, reader.problems) else {
            throw ScenarioProblems(reader.problems.problems)
        }
        let plan = reader.read(file)
        guard reader.problems.isEmpty else { throw ScenarioProblems(reader.problems.problems) }
        return plan
    }

    private func read(_ file: MappingReader) -> StoryPlan {
        var plan = StoryPlan()
        plan.name = file.text("story") ?? ""
        plan.position = file.position(of: "story")
        plan.about = file.text("description") ?? ""
        plan.clients = file.integer("clients") ?? plan.clients
        plan.calls = file.integer("calls")
        plan.patienceMs = file.duration("patience")
        if let patience = plan.patienceMs, !(1_000...3_600_000).contains(patience) {
            file.complain("patience", "patience is 1s to 1h")
        }
        plan.steps = steps(file)
        // What is expected is checked against the steps: mistakes in them would give others.
        if problems.isEmpty { plan.expectations = StoryExpectationReader(plan, problems).read(file) }
        return plan
    }

    private func steps(_ file: MappingReader) -> [PlannedStoryStep] {
        var (steps, course, names) = ([PlannedStoryStep](), StoryCourse(), Set<String>())
        let nodes = file.list("steps")
        guard nodes.count <= StoryLimits.steps else {
            file.complain("steps", "these are \(nodes.count) steps; a story has \(StoryLimits.steps) at most")
            return []
        }
        for node in nodes {
            // Behind a step that can't be read nothing is known of what can be done.
            guard let reader = MappingReader(node, StoryKeys.step, problems),
                let word = reader.choice("do").flatMap(StoryWord.init)
            else { return steps }
            let step = StoryStepReader(reader).step(word)
            if let obstacle = course.take(word) {
                reader.complain("do", "\(word.rawValue) can't be done here: \(obstacle)")
                return steps
            }
            if !names.insert(step.name).inserted {
                reader.complain(
                    reader.has("name") ? "name" : "do",
                    "a step is called \"\(step.name.shortened)\" already; give this one a name of its own")
            }
            steps.append(step)
        }
        checkMasks(steps)
        if let lack = course.lacksEnd, file.has("steps") { file.complain("steps", lack) }
        return steps
    }

    /// An application covers an area in all that it shares.
    private func checkMasks(_ steps: [PlannedStoryStep]) {
        var first: StoryMask?
        for step in steps {
            guard case .coBrowsing(let mask) = step.action else { continue }
            if let first, first != mask {
                problems.add(
                    step.position, "another mask than before; a story covers one area, give all steps the same")
            }
            first = first ?? mask
        }
    }
}

/// Reads one step.
private struct StoryStepReader {
    private let reader: MappingReader

    init(_ reader: MappingReader) { self.reader = reader }

    func step(_ word: StoryWord) -> PlannedStoryStep {
        for use in StoryKeys.uses where reader.has(use.key) && !use.words.contains(word) {
            let words = use.words.map(\.rawValue).joined(separator: ", ")
            reader.complain(use.key, "\(use.key) means nothing for \(word.rawValue); it is for \(words)")
        }
        return PlannedStoryStep(reader.text("name") ?? word.rawValue, action(word), reader.position(of: "do"))
    }

    private func action(_ word: StoryWord) -> StoryAction {
        switch word {
        case .start: .start
        case .message: .message(words("Good morning.", "Good morning, what can I do for you?"))
        case .push: .push(text: sealed("Your documents are ready."))
        case .ring: .ring(provider)
        case .lockedAnswer: .lockedAnswer(greeting: text("greeting", "One moment please, you are being connected."))
        case .authentication: .authentication
        case .talk: .talk(pictures: reader.integer("pictures") ?? 10)
        case .greeting: .greeting
        case .indicator: .indicator
        case .drop: .drop(words("Are you still there?", "Yes, the line was bad."))
        case .callBack: .callBack(provider)
        case .files: .files(files)
        case .coBrowsing: .coBrowsing(mask: mask)
        case .hangUp: .hangUp
        case .missedCall: .missedCall
        case .backAgain: .backAgain(text: text("text", "I was away, sorry."))
        case .chat: .chat(words("Where is my parcel, number {n}?", "It leaves today."))
        case .end: .end
        }
    }

    private var provider: ScenarioProvider { reader.choice("provider").flatMap(ScenarioProvider.init) ?? .livekit }

    private func words(_ text: String, _ answer: String) -> StoryWords {
        StoryWords(self.text("text", text), answer: self.text("answer", answer))
    }

    private func text(_ key: String, _ usual: String) -> String {
        guard let text = reader.text(key) else { return usual }
        if !(1...StoryLimits.textBytes).contains(text.utf8.count) {
            reader.complain(key, "\(key) has \(text.utf8.count) bytes; a message has 1 to \(StoryLimits.textBytes)")
        }
        return text
    }

    /// A text that would be known again in what a carrier is given.
    private func sealed(_ usual: String) -> String {
        let text = text("text", usual)
        if text.utf8.count < 8 {
            reader.complain("text", "\"\(text.shortened)\" may be in any request by chance; write 8 bytes or more")
        }
        return text
    }

    private var files: StoryFiles {
        var files = StoryFiles()
        files.upload = reader.integer("upload") ?? files.upload
        files.download = reader.integer("download") ?? files.download
        return files
    }

    private var mask: StoryMask {
        guard let mask = reader.rectangle("mask") else { return StoryMask() }
        if !mask.isOnScreen {
            reader.complain(
                "mask",
                "mask leaves the shared screen, which has \(StoryMask.screen.width)x\(StoryMask.screen.height) pixels")
        } else if mask.overlaps(.field) {
            reader.complain(
                "mask", "mask covers what the visitor types, 64x16+32+32, which the agent has to see; put it elsewhere")
        }
        return mask
    }
}

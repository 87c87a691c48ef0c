import Testing

@testable import ScenarioCore

/// What can come after what in a story.
@Suite struct StoryCourseTests {
    private static func obstacle(_ words: StoryWord...) -> String? {
        var course = StoryCourse()
        for word in words { if let obstacle = course.take(word) { return obstacle } }
        return nil
    }

    @Test func twoCallsAndAMissedOne() {
        #expect(
            Self.obstacle(
                .start, .message, .ring, .lockedAnswer, .authentication, .talk, .greeting, .indicator, .message) != nil)
        #expect(
            Self.obstacle(
                .start, .message, .ring, .lockedAnswer, .authentication, .talk, .greeting, .hangUp, .message, .callBack,
                .drop, .ring, .lockedAnswer, .authentication, .hangUp, .missedCall, .backAgain, .push, .missedCall,
                .ring, .lockedAnswer, .authentication, .indicator, .drop, .end, .chat) == nil)
    }

    @Test func aGreetingIsOfItsCall() {
        #expect(
            Self.obstacle(
                .start, .message, .ring, .lockedAnswer, .authentication, .talk, .drop, .callBack, .talk, .greeting)
                != nil)
        #expect(Self.obstacle(.start, .message, .ring, .lockedAnswer, .authentication, .greeting) != nil)
    }

    /// A step that was refused changes nothing.
    @Test func aRefusedStepIsNotTaken() {
        var course = StoryCourse()
        #expect(course.take(.start) == nil && course.take(.drop) != nil && course.take(.end) != nil)
        #expect(course.lacksEnd != nil && course.take(.message) == nil)
        #expect(course.take(.end) == nil && course.lacksEnd == nil)
    }

    /// However steps come, calls begin and end in turn, a conversation is open for what needs one, and every refusal says what
    /// would have to come before.
    @Test(arguments: 0..<20) func randomCourses(_ seed: Int) {
        var random = TestRandom(seed)
        for _ in 0..<50 {
            var (course, taken) = (StoryCourse(), [StoryWord]())
            for _ in 0..<60 {
                guard let word = StoryWord.allCases.randomElement(using: &random) else { continue }
                if let obstacle = course.take(word) {
                    #expect(obstacle.contains("; put ") || obstacle.contains("; begin "), "\(obstacle)")
                } else {
                    taken.append(word)
                }
            }
            var isInCall = false
            for (index, word) in taken.enumerated() {
                if word.beginsCall || word.endsCall {
                    #expect(word.endsCall == isInCall, "\(taken)")
                    isInCall.toggle()
                }
                if ![.start, .message, .chat].contains(word) {
                    #expect(taken[..<index].contains(.message), "\(taken)")
                }
            }
            #expect(taken.isEmpty || taken.first == .start)
        }
    }

    @Test func everyStepShowsSomethingToTwo() {
        for word in StoryWord.allCases {
            #expect(word.sights.count >= 2 && word.sights.values.allSatisfy { !$0.isEmpty }, "\(word)")
            for sights in word.sights.values { #expect(Set(sights).count == sights.count, "\(word)") }
        }
        let seen = Set(StoryWord.allCases.flatMap { $0.sights.values.flatMap(\.self) })
        #expect(seen == Set(StorySight.allCases), "each can be seen somewhere")
    }

    /// The published story does every step and expects everything that can be seen in it.
    @Test func theWholeStoryIsWhole() throws {
        let path = Samples.root.appendingPathComponent("Examples/Scenarios/whole-story.yaml")
        let plan = try Samples.storyPlan(String(contentsOf: path, encoding: .utf8))
        #expect(Set(plan.steps.map(\.action.word)) == Set(StoryWord.allCases))
        for step in plan.steps {
            for (side, sights) in step.action.word.sights {
                for sight in sights {
                    #expect(
                        plan.expectations.contains { $0.step == step.name && $0.claim == .sees(side, sight) },
                        "\(step.name): \(side) \(sight)")
                }
            }
        }
        #expect(plan.expectations.contains { $0.claim == .validJournal })
    }
}

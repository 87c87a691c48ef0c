import Testing

@testable import ScenarioCore

/// Names stand for people and groups, each of whom is meant once.
@Suite struct CastTests {
    private let place = SourcePosition(line: 7, column: 3)

    private var cast: Cast {
        Cast(
            [("ada", ["hosts"]), ("bob", ["hosts", "guests"]), ("cy", ["guests"])].map { name, groups in
                var person = PlannedPerson(identity: name, position: place)
                person.groups = Set(groups)
                return person
            })
    }

    private func resolve(_ names: String...) -> (people: [String], problems: [ScenarioProblem]) {
        let problems = ProblemList()
        let found = cast.resolve(names.map { ($0, place) }, problems)
        return (found.map(\.identity), problems.problems)
    }

    @Test func groupsAreInTheOrderOfTheFile() {
        #expect(resolve("guests").people == ["bob", "cy"])
        #expect(resolve("all").people == ["ada", "bob", "cy"])
        #expect(resolve("cy", "ada").people == ["cy", "ada"])
    }

    @Test func whoIsNamedTwiceIsMeantOnce() {
        #expect(resolve("hosts", "guests", "ada", "all").people == ["ada", "bob", "cy"])
    }

    @Test func strangersAreToldAndTheOthersFound() {
        let (people, problems) = resolve("ada", "gests", "zoe")
        #expect(people == ["ada"])
        #expect(
            problems.map(\.text) == [
                "nobody is called \"gests\"; did you mean \"guests\"?",
                "nobody is called \"zoe\"; known: ada, all, bob, cy, guests, hosts",
            ])
        #expect(problems.allSatisfy { $0.position == place })
    }
}

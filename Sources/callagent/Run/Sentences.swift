/// What the participants of a call say: texts of their own, so that their sounds differ in time as well as in voice.
enum Sentences {
    private static let all = [
        "Good morning everybody. I have the numbers from yesterday, and most of them look better than we thought.",
        "Thank you. Let us begin with the longest item on the list, because the others depend on what we decide there.",
        "From my side everything is ready. The only open question is who takes the parcels to the northern office.",
        "I would rather wait until Thursday. By then the second delivery has come, and nobody needs to hurry.",
        "Just a small remark about the schedule. Two of the rooms are closed next week, so we have to meet upstairs.",
        "That sounds reasonable to me. Please write it down, and send it round before the end of the day.",
    ]

    static func numbered(_ number: Int) -> String { all[number % all.count] }
}

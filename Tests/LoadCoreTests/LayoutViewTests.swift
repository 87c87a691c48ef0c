import LoadCore
import Testing

@Suite struct LayoutViewTests {
    private let large = LoadLayout.Size(width: 1280, height: 720)
    private let small = LoadLayout.Size(width: 320, height: 180)

    private func view(_ layout: LoadLayout, tracks: Int) -> LayoutView {
        var view = LayoutView(layout)
        for index in 0..<tracks { _ = view.add(track: "t\(index)", owner: "p\(index)") }
        return view
    }

    @Test func theFirstIsLargeUntilSomebodySpeaks() {
        var view = LayoutView(.speaker)
        #expect(view.add(track: "t0", owner: "p0") == [.show(track: "t0", large)])
        #expect(view.add(track: "t1", owner: "p1") == [.show(track: "t1", small)])
        #expect(view.feature("p1") == [.show(track: "t0", small), .show(track: "t1", large)])
        #expect(view.feature("p1") == [])
    }

    @Test func whoHasNoPlaceIsNotReceived() {
        var view = view(.speaker, tracks: 8)
        #expect(view.visible == ["t0", "t1", "t2", "t3", "t4", "t5"])
        let changes = view.feature("p7")
        #expect(changes.contains(.hide(track: "t5")))
        #expect(changes.contains(.show(track: "t7", large)))
        #expect(view.visible == ["t7", "t0", "t1", "t2", "t3", "t4"])
    }

    @Test(arguments: [(LoadLayout.grid3x3, 9), (.grid4x4, 16), (.grid5x5, 25)])
    func gridsHaveTheirPlaces(layout: LoadLayout, places: Int) {
        var view = view(layout, tracks: 30)
        #expect(view.visible.count == places)
        // A speaker who is seen stays where it is; one who is not gets the last place.
        #expect(view.feature("p0") == [])
        #expect(view.feature("p29").first == .hide(track: "t\(places - 1)"))
        #expect(view.visible.contains("t29"))
    }

    @Test func aFreePlaceIsTaken() {
        var view = view(.grid3x3, tracks: 10)
        #expect(view.remove(track: "t3") == [.show(track: "t9", .init(width: 640, height: 360))])
        #expect(view.add(track: "t9", owner: "p9") == [])
    }
}

/// How a call came to its end for us.
struct CallDeparture {
    /// We are on our way out: whatever the provider says now, this is why it ends.
    var isOurs = false
    /// Why it is over, where we have not left it ourselves.
    var reason: String?
    /// Why we are out of a call that goes on for the others.
    var exclusion: CallExclusion?
    /// Why it was lost.
    var failure: CallError?
}

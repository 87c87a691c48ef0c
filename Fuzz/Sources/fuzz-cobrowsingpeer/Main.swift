import CoBrowsingFuzzing
import FuzzDriver

@main
enum Main {
    static func main() { fuzz { CoBrowsingFuzzing.peers($0) } }
}

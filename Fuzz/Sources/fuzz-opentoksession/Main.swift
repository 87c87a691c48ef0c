import FuzzDriver
import OpenTokFuzzing

@main
enum Main {
    static func main() { fuzz { OpenTokFuzzing.session($0) } }
}

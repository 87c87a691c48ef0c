import FuzzDriver
import OpenTokFuzzing

@main
enum Main {
    static func main() { fuzz { OpenTokFuzzing.token($0) } }
}

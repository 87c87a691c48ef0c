import FuzzDriver
import OpenTokClientFuzzing

@main
enum Main {
    static func main() { fuzz { OpenTokClientFuzzing.client($0) } }
}

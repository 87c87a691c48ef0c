import CallModelFuzzing
import FuzzDriver

@main
enum Main {
    static func main() { fuzz { CallModelFuzzing.ring($0) } }
}

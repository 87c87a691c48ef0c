import FuzzDriver
import CallModelFuzzing

@main
enum Main {
    static func main() { fuzz { CallModelFuzzing.journal($0) } }
}

import FuzzDriver
import WHIPFuzzing

@main
enum Main {
    static func main() { fuzz { WHIPFuzzing.fragment($0) } }
}

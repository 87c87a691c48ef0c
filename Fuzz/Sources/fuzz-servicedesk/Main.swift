import FuzzDriver
import ServiceDeskFuzzing

@main
enum Main {
    static func main() { fuzz { ServiceDeskFuzzing.servicedesk($0) } }
}

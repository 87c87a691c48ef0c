/// RE-CONFIG, RFC 6525 section 3.1.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  Type = 130   |  Chunk Flags  |      Chunk Length             |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \               one or two Re-configuration Parameters          \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct ReconfigChunk: Hashable, Sendable {
    package enum Parameter: Hashable, Sendable {
        case outgoingReset(OutgoingResetRequest)
        case incomingReset(IncomingResetRequest)
        case response(ReconfigResponse)
        /// A request of another kind, which is answered with a refusal.
        case other(type: UInt16, requestSequence: UInt32)
    }

    package var parameters: [Parameter]

    package init(parameters: [Parameter]) { self.parameters = parameters }

    init(parsing bytes: RawSpan) throws(WireError) {
        let list = try SCTPParameter.list(bytes, from: SCTPChunkHeader.length)
        guard (1...2).contains(list.count) else { throw .invalidLength }
        parameters = []
        for parameter in list { parameters.append(try ReconfigChunk.parse(parameter)) }
    }

    private static func parse(_ parameter: SCTPParameter) throws(WireError) -> Parameter {
        let value = parameter.value.span.bytes
        guard value.byteCount >= 4 else { throw .truncated }
        switch parameter.type {
        case SCTPParameter.Kind.outgoingReset: return .outgoingReset(try OutgoingResetRequest(parsing: value))
        case SCTPParameter.Kind.incomingReset: return .incomingReset(try IncomingResetRequest(parsing: value))
        case SCTPParameter.Kind.reconfigResponse: return .response(try ReconfigResponse(parsing: value))
        default: return .other(type: parameter.type, requestSequence: value.uint32(0))
        }
    }

    func append(to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(type: SCTPChunk.Kind.reconfig, to: &bytes)
        SCTPParameter.append(parameters.map(ReconfigChunk.parameter), to: &bytes)
    }

    private static func parameter(_ parameter: Parameter) -> SCTPParameter {
        switch parameter {
        case .outgoingReset(let request):
            return SCTPParameter(type: SCTPParameter.Kind.outgoingReset, value: request.value)
        case .incomingReset(let request):
            return SCTPParameter(type: SCTPParameter.Kind.incomingReset, value: request.value)
        case .response(let response):
            return SCTPParameter(type: SCTPParameter.Kind.reconfigResponse, value: response.value)
        case .other(let type, let sequence):
            var value: [UInt8] = []
            value.append32(sequence)
            return SCTPParameter(type: type, value: value)
        }
    }
}

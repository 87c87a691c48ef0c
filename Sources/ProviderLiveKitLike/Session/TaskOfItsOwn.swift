/// Does something in a task of its own, which is cancelled with the one that waits for it.
///
/// A task keeps the memory of its deepest calls until it has ended and nobody holds it any more. Who joins a call may well
/// go on for as long as the call.
func inTaskOfItsOwn<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let task = Task { try await body() }
    return try await withTaskCancellationHandler {
        try await task.value
    } onCancel: {
        task.cancel()
    }
}

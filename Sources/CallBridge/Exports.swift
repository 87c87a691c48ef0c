// An application that imports CallBridge speaks of calls, reasons and events in CallModel's words.
@_exported public import AccessPolicy
@_exported public import CallModel
@_exported public import TransportSecurity

// An application that imports ClientCore speaks of clients, conversations and calls in these rooms' words.
@_exported public import CallBridge
@_exported public import ClientModel
@_exported public import CoBrowsingModel
@_exported public import ConversationModel

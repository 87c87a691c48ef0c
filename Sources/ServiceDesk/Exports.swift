// An application that imports ServiceDesk speaks of comments, tickets and credentials in this room's words.
@_exported public import ServiceDeskCore

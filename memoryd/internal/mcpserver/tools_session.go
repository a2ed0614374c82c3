package mcpserver

// sessionTools registers the tools of sessions.
var sessionTools = []func(*service){addSessionStart, addSessionNote, addSessionEnd, addSessionContext, addListSessions}

package mcpserver

// memoryTools registers the tools of long-term memory.
var memoryTools = []func(*service){}

package mcpserver

// recordTools registers the tools of agents' records and prior art.
var recordTools = []func(*service){}

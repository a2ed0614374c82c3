// Package check is what citecheck does, apart from how it is asked: it puts
// memories, their citations, the verification of these and their history
// together. Commands and MCP tools are thin faces of it.
//
// It holds no SQL and prints nothing; only add, adopt, fix and marking what was
// verified write, and only into memories. A Service is safe for concurrent use.
package check

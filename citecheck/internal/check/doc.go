// Package check contains the functions of citecheck, independent of how they are called. It brings together memories, their citations, the
// verification of these and their history. Commands and MCP tools are thin faces of it.
//
// It holds no SQL and prints nothing. Only add, adopt, fix and mark write, and only into memories. A Service is safe for concurrent use.
package check

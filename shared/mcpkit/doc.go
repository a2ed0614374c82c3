// Package mcpkit constructs the MCP servers of the suite. It is the one place
// that knows mcp-go: a server author declares typed tools, resources and
// prompts and calls Serve; schemas, validation, errors, logging, sessions,
// subscriptions and the three transports are here, the same for every binary.
//
// mcp-go does the protocol (methods, versions, capabilities). The transports
// are the suite's own, over mcp-go's HandleMessage, because theirs lose what
// must not be lost: answers at end of input, the last progress notification,
// memory per session for ever, requests from foreign web pages.
//
// The rules it enforces:
//
//   - Every tool result is a JSON object, as structured content and as text.
//   - Every failure of a tool is a tool error holding a fault.Fault; a panic
//     becomes an OperationError and never ends the server.
//   - Input is checked against the schema that was advertised, strictly, and a
//     refusal is one sentence that names the parameter and what was expected.
//   - Messages about a request are written before its response, by the
//     goroutine that runs the request, so their order holds by construction.
//
// It must not know any tool, table or command. Registration (AddTool,
// AddResource, AddPrompt, Notify, Select) comes before Serve and is not safe
// for concurrent use; afterwards a Server is safe for concurrent use.
//
// An author's declarations: tool.go, resource.go, prompt.go, server.go;
// changes.go tells when a resource changed. A call: call.go, decode.go
// and expect.go (input), schema.go, output.go, result.go, ask.go
// (questions to the client), cancel.go. The protocol: protocol.go, jsonrpc.go,
// session.go, sessions.go, filter.go, updates.go. Transports: serve.go,
// stdio.go, http.go, sse.go, stream.go, listen.go, which refuses other web pages;
// shared/loopback refuses other users. local.go is a client for tests.
package mcpkit

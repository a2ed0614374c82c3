package mcpkit

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/agit-suite/agit/shared/fault"
)

// outlet is where messages to a client go.
type outlet interface {
	// send writes one encoded message and returns when it is written. It is
	// safe for concurrent use and never waits for ever.
	send(message []byte) error
}

// message is one JSON-RPC message as it came.
type message struct {
	raw      json.RawMessage
	id       json.RawMessage // nil for a notification
	method   string          // "" for a response
	response *reply
	refusal  []byte // the encoded error to answer with, when it is not a message
}

// reply is a client's answer to a request of the server.
type reply struct {
	Result json.RawMessage
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
}

// parse reads one message. mcp-go takes "id": null for a notification, changes ids above 2^53 in its answer, and does not answer a batch;
// here each is refused or kept.
func parse(raw []byte) message {
	raw = bytes.TrimSpace(raw)
	m := message{raw: raw}
	switch {
	case !json.Valid(raw):
		return m.refuse(mcp.PARSE_ERROR, "this is not valid JSON; send one JSON-RPC message on one line")
	case raw[0] == '[':
		return m.refuse(mcp.INVALID_REQUEST, "batches are not part of this protocol; send each message by itself")
	case raw[0] != '{':
		return m.refuse(mcp.INVALID_REQUEST, "a JSON-RPC message is an object")
	}
	var e struct {
		Version any             `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  any             `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return m.refuse(mcp.INVALID_REQUEST, "this is not a JSON-RPC message")
	}
	if e.ID != nil && !validID(e.ID) {
		return m.refuse(mcp.INVALID_REQUEST, "an id is a string or a number")
	}
	m.id = e.ID
	if e.Version != mcp.JSONRPC_VERSION {
		return m.refuse(mcp.INVALID_REQUEST, `"jsonrpc" must be "2.0"`)
	}
	if e.Method == nil && m.id != nil && (e.Result != nil || e.Error != nil) {
		m.response = &reply{Result: e.Result}
		if e.Error != nil && json.Unmarshal(e.Error, &m.response.Error) != nil {
			return m.refuse(mcp.INVALID_REQUEST, "the error of a response is an object with code and message")
		}
		return m
	}
	method, ok := e.Method.(string)
	if !ok || method == "" {
		return m.refuse(mcp.INVALID_REQUEST, "a request names its method in a string")
	}
	m.method = method
	if p := bytes.TrimSpace(e.Params); len(p) > 0 && p[0] != '{' && string(p) != "null" {
		return m.refuse(mcp.INVALID_PARAMS, "params must be an object")
	}
	return m
}

// validID accepts what MCP allows: a string or a number, never null.
func validID(id json.RawMessage) bool {
	return len(id) > 0 && len(id) <= 1024 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

func (m message) refuse(code int, text string) message {
	m.refusal = failure(m.id, code, text, nil)
	return m
}

func notification(method string, params any) []byte {
	return marshal(struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{mcp.JSONRPC_VERSION, method, params})
}

func failure(id json.RawMessage, code int, text string, data any) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	return marshal(mcp.JSONRPCError{
		JSONRPC: mcp.JSONRPC_VERSION,
		ID:      mcp.NewRequestId(id),
		Error:   mcp.JSONRPCErrorDetails{Code: code, Message: text, Data: data},
	})
}

// encodeResponse returns the bytes of mcp-go's response, with the id exactly as it was sent. The fault of a resource or prompt is sent as
// the error's data.
func encodeResponse(m message, r mcp.JSONRPCMessage, f *fault.Fault) []byte {
	switch r := r.(type) {
	case mcp.JSONRPCResponse:
		r.ID = mcp.NewRequestId(m.id)
		return marshal(r)
	case mcp.JSONRPCError:
		if f != nil {
			return failure(m.id, faultCode(f), f.Error(), f)
		}
		if f := unknown(m, r.Error.Message); f != nil {
			return failure(m.id, r.Error.Code, f.Error(), f) // the code depends on the revision
		}
		if r.Error.Code == mcp.INVALID_REQUEST && strings.HasPrefix(r.Error.Message, "unparsable") {
			// The error of mcp-go would name Go structs.
			return failure(m.id, mcp.INVALID_PARAMS, "the params of "+shorten(m.method)+" are not as the protocol has them", nil)
		}
		return failure(m.id, r.Error.Code, r.Error.Message, r.Error.Data)
	default:
		return marshal(r)
	}
}

// unknown returns the fault for a tool, a prompt, a resource or a cursor that a request names and the server does not have, from mcp-go's
// message; nil for other errors. It is the same as for a resource whose subject does not exist.
func unknown(m message, problem string) *fault.Fault {
	var e struct {
		Params struct{ Name, URI, Cursor string }
	}
	_ = json.Unmarshal(m.raw, &e)
	switch {
	case strings.HasSuffix(problem, server.ErrToolNotFound.Error()):
		return fault.NotFound("tool", shorten(e.Params.Name)).WithHint("tools/list names those there are")
	case strings.HasSuffix(problem, server.ErrPromptNotFound.Error()):
		return fault.NotFound("prompt", shorten(e.Params.Name)).WithHint("prompts/list names those there are")
	case strings.HasSuffix(problem, server.ErrResourceNotFound.Error()):
		return fault.NotFound("resource", shorten(e.Params.URI)).WithHint("resources/list and resources/templates/list name those there are")
	case strings.HasPrefix(problem, "illegal base64"):
		return fault.Validation("cursor", "the cursor %q is not from an answer of this server", shorten(e.Params.Cursor)).WithHint("leave it out to begin at the start")
	}
	return nil
}

func faultCode(f *fault.Fault) int {
	switch f.Kind {
	case fault.KindNotFound:
		return mcp.RESOURCE_NOT_FOUND
	case fault.KindValidation:
		return mcp.INVALID_PARAMS
	default:
		return mcp.INTERNAL_ERROR
	}
}

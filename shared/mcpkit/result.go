package mcpkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

// Content is one piece of a result that is not a JSON document.
type Content = mcp.Content

// Contents is the Out of a tool that answers with text, pictures or sound
// instead of an object. No tool of the suite does; the protocol's conformance
// fixtures do.
type Contents []Content

// TextContent, ImageContent, AudioContent and EmbeddedText build Contents.
func TextContent(text string) Content { return mcp.NewTextContent(text) }

// ImageContent is a picture; data is base64.
func ImageContent(data, mime string) Content { return mcp.NewImageContent(data, mime) }

// AudioContent is a sound; data is base64.
func AudioContent(data, mime string) Content { return mcp.NewAudioContent(data, mime) }

// EmbeddedText is a resource inside a result.
func EmbeddedText(uri, mime, text string) Content {
	return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text})
}

// encoder turns a tool's Out into a result.
type encoder struct {
	tool   string
	kept   bool // Tool.Kept
	schema json.RawMessage
	lists  [][]int // fields that are lists without omitempty: nil must be [], not null
}

var contentsType = reflect.TypeFor[Contents]()

func newEncoder(tool string, t reflect.Type) *encoder {
	e := &encoder{tool: tool}
	if t == contentsType {
		return e
	}
	base := t
	if base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	switch base.Kind() {
	case reflect.Struct:
		e.lists = listFields(base, nil)
		e.schema = outputSchema(base)
	case reflect.Map, reflect.Interface:
		e.schema = json.RawMessage(`{"type":"object"}`)
	default:
		panic(fmt.Sprintf("mcpkit: the result of tool %q is %s, which is not a JSON object", tool, t))
	}
	return e
}

func (e *encoder) result(out any) (*mcp.CallToolResult, error) {
	if contents, ok := out.(Contents); ok {
		return &mcp.CallToolResult{Content: contents}, nil
	}
	doc, err := document(out, e.lists)
	if err != nil {
		return nil, fault.Operation(err, "encode the result of %s", e.tool)
	}
	if !e.kept {
		doc, _ = redact.JSON(doc)
	}
	return objectResult(doc), nil
}

func objectResult(doc json.RawMessage) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(string(doc))},
		StructuredContent: doc,
	}
}

func faultResult(f *fault.Fault) *mcp.CallToolResult {
	told := *f // a message may repeat its input: secrets, or a whole file
	told.Message, told.EntityID = text.Brief(f.Error()), text.Brief(f.EntityID)
	told.Err, told.Hint = nil, "" // both are in the message
	doc, _ := redact.JSON(marshal(&told))
	r := objectResult(doc)
	r.IsError = true
	return r
}

// document encodes out and makes sure that it is an object.
func document(out any, lists [][]int) (json.RawMessage, error) {
	doc, err := encode(fillLists(out, lists))
	if err != nil {
		return nil, err
	}
	if len(doc) == 0 || doc[0] != '{' {
		return nil, fmt.Errorf("%s is not a JSON object", shorten(string(doc)))
	}
	return text.ShowTags(doc), nil
}

// fillLists replaces nil lists by empty ones in a copy of out.
func fillLists(out any, lists [][]int) any {
	v := reflect.ValueOf(out)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return out
		}
		v = v.Elem()
	}
	var filled reflect.Value
	for _, at := range lists {
		if f := v.FieldByIndex(at); f.IsNil() {
			if !filled.IsValid() {
				filled = reflect.New(v.Type()).Elem()
				filled.Set(v)
			}
			filled.FieldByIndex(at).Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
	if filled.IsValid() {
		return filled.Interface()
	}
	return out
}

func listFields(t reflect.Type, at []int) (lists [][]int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int(nil), at...), i)
		name, optional, inline := fieldName(f)
		switch {
		case inline:
			lists = append(lists, listFields(f.Type, index)...)
		case name != "" && !optional && f.IsExported() && f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() != reflect.Uint8:
			lists = append(lists, index)
		}
	}
	return lists
}

// marshal encodes a value that cannot fail to encode, without escaping HTML: models read the bytes, and \u003c costs six times as much as
// <.
func marshal(value any) json.RawMessage {
	encoded, err := encode(value)
	if err != nil {
		panic(fmt.Sprintf("mcpkit: encode %T: %v", value, err))
	}
	return encoded
}

// encode is json.Marshal, except that <, > and & stay as they are.
func encode(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// listsOf is listFields of a value's type, for documents without a tool.
func listsOf(out any) [][]int {
	t := reflect.TypeOf(out)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	return listFields(t, nil)
}

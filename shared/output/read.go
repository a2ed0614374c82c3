package output

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

// Limits on input from standard input, so that a wrong pipe ends in an error and not in a full memory.
const (
	MaxInput = 64 << 20 // bytes
	MaxItems = 100_000
)

// Item is one item read from standard input.
type Item[T any] struct {
	Line  int // where it starts, from 1
	Value T
}

// ReadItems reads the items of a list from standard input (the argument "-"):
// the JSON document of a list command, whose items stand under one of plurals,
// a JSON array, or JSON values one after another as NDJSON. Errors are
// ValidationErrors that name the line. It refuses to wait for a person to type.
func ReadItems[T any](s *term.Streams, plurals ...string) ([]Item[T], error) {
	data, err := piped(s, "items", "pipe a list into this command, such as the output of another one with -o ndjson")
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := &reader[T]{lines: lines{data: data}, plurals: plurals}
	if err := r.values(); err != nil {
		return nil, err
	}
	return r.items, nil
}

// piped reads all of standard input, within the limit.
func piped(s *term.Streams, what, hint string) ([]byte, error) {
	if s.InTTY {
		return nil, fault.Validation("-", "\"-\" reads %s from standard input, and nothing is piped into it", what).WithHint("%s", hint)
	}
	data, err := io.ReadAll(io.LimitReader(s.In, MaxInput+1))
	if err != nil {
		return nil, fault.Operation(err, "read standard input")
	}
	if len(data) > MaxInput {
		return nil, fault.Validation("-", "standard input is larger than %d MB", MaxInput>>20).WithHint("send it in parts")
	}
	return data, nil
}

type reader[T any] struct {
	lines
	plurals []string
	items   []Item[T]
}

// values reads the JSON values one after another.
func (r *reader[T]) values() error {
	dec := json.NewDecoder(bytes.NewReader(r.data))
	for {
		start := r.skipSpace(int(dec.InputOffset()))
		var raw json.RawMessage
		switch err := dec.Decode(&raw); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return r.syntax(start, err)
		}
		if err := r.value(raw, start); err != nil {
			return err
		}
	}
}

// value reads one top-level value: a list, a document that holds one, or an item.
func (r *reader[T]) value(raw json.RawMessage, at int) error {
	if raw[0] == '[' {
		return r.array(raw, at)
	}
	if list, offset, ok := r.listIn(raw); ok {
		return r.array(list, at+offset)
	}
	return r.item(raw, at)
}

// listIn finds the array under one of the plurals in a list's document.
func (r *reader[T]) listIn(raw json.RawMessage) (list json.RawMessage, offset int, ok bool) {
	if raw[0] != '{' || len(r.plurals) == 0 {
		return nil, 0, false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the brace; raw is known to be valid
	for dec.More() {
		key, _ := dec.Token()
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil, 0, false
		}
		if len(value) == 0 || value[0] != '[' {
			continue
		}
		if name, _ := key.(string); slices.Contains(r.plurals, name) {
			return value, int(dec.InputOffset()) - len(value), true
		}
	}
	return nil, 0, false
}

func (r *reader[T]) array(raw json.RawMessage, at int) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the bracket; raw is known to be valid
	for dec.More() {
		var element json.RawMessage
		if err := dec.Decode(&element); err != nil {
			return r.syntax(at+int(dec.InputOffset()), err)
		}
		if err := r.item(element, at+int(dec.InputOffset())-len(element)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader[T]) item(raw json.RawMessage, at int) error {
	if len(r.items) == MaxItems {
		return fault.Validation("-", "standard input holds more than %d items", MaxItems).WithHint("send them in parts")
	}
	item := Item[T]{Line: r.lineAt(at)}
	if err := json.Unmarshal(raw, &item.Value); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fault.Validation("-", "line %d of standard input: %s must be %s, not %s", item.Line, cmp.Or(wrong.Field, "the item"), cmp.Or(kindNames[wrong.Type.Kind()], "a number"), wrong.Value)
		}
		return fault.Validation("-", "line %d of standard input: %v", item.Line, err)
	}
	r.items = append(r.items, item)
	return nil
}

var kindNames = map[reflect.Kind]string{
	reflect.String: "text", reflect.Bool: "true or false", reflect.Slice: "a list", reflect.Array: "a list", reflect.Struct: "an object", reflect.Map: "an object",
}

func (r *reader[T]) syntax(at int, err error) error {
	line := r.lineAt(at)
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok && int(wrong.Offset) > at {
		line = r.lineAt(min(int(wrong.Offset)-1, len(r.data)))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.Validation("-", "standard input ends in the middle of the value that starts on line %d", line)
	}
	return fault.Validation("-", "line %d of standard input is not JSON: %v", line, err).
		WithHint("give one JSON object a line, a JSON array, or a list command's --json document")
}

func (r *reader[T]) skipSpace(at int) int {
	for at < len(r.data) && (r.data[at] == ' ' || r.data[at] == '\n' || r.data[at] == '\r' || r.data[at] == '\t') {
		at++
	}
	return at
}

// lines counts the lines of a text.
type lines struct {
	data        []byte
	upTo, count int // the line ends before the offset that was asked for last
}

// lineAt returns the line of an offset. It counts on from the offset of the last call, since offsets mostly grow; a smaller offset starts
// over.
func (l *lines) lineAt(at int) int {
	if at < l.upTo {
		l.upTo, l.count = 0, 0
	}
	l.count += bytes.Count(l.data[l.upTo:at], []byte{'\n'})
	l.upTo = at
	return 1 + l.count
}

package mcpkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"sync"
)

// keptOfLong is how many bytes of the beginning and of the end of a too long line are kept, to find the id in them.
const keptOfLong = 64 << 10

// longLine is a line that is too long, without its middle.
type longLine struct{ head, tail []byte }

func (longLine) Error() string { return errLongLine.Error() }

// Is lets errors.Is find errLongLine.
func (longLine) Is(target error) bool { return target == errLongLine }

// longID returns the id of the request whose line was too long; nil for an answer, a notification, and when neither end holds the id.
func longID(err error) json.RawMessage {
	l, ok := errors.AsType[longLine](err)
	if !ok {
		return nil
	}
	id, request, answer := idAtStart(l.head)
	tail, tailed := idAtEnd(l.tail)
	switch {
	case answer || !request && !tailed:
		return nil
	case id == nil:
		id = tail
	}
	if !validID(id) {
		return nil
	}
	return id
}

// idAtStart reads the members of a message until one is cut off. It returns the id, and whether the message names a method or answers a
// request.
func idAtStart(head []byte) (id json.RawMessage, request, answer bool) {
	d := json.NewDecoder(bytes.NewReader(head))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, false, false
	}
	for {
		key, err := d.Token()
		if err != nil {
			return id, request, answer
		}
		var value json.RawMessage
		cut := d.Decode(&value) != nil
		switch key {
		case "method":
			request = !cut
		case "result", "error":
			answer = true
		case "id":
			if !cut {
				id = value
			}
		}
		if cut {
			return id, request, answer
		}
	}
}

// atEnd matches the end of a request whose id follows its parameters. Within a string the quotes would be escaped, and within another
// object more than one brace would follow.
var atEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[},\]"\d\w]\s*,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)\s*(,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*$`)
})

// idAtEnd reads the id of a request that stands behind its parameters.
func idAtEnd(tail []byte) (json.RawMessage, bool) {
	found := atEnd().FindSubmatch(tail)
	if found == nil {
		return nil, false
	}
	return found[1], true
}

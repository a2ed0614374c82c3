package command

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

// readHits reads memories from standard input: JSON or NDJSON as other commands
// print it, or plain names, one a line.
func readHits(s *term.Streams) ([]output.Item[check.Hit], error) {
	if s.InTTY {
		return output.ReadItems[check.Hit](s) // does not wait for a person to type
	}
	data, err := io.ReadAll(io.LimitReader(s.In, output.MaxInput+1))
	if err != nil {
		return nil, fault.Operation(err, "read standard input")
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	if len(text) == 0 {
		return nil, nil
	}
	if strings.IndexByte(`{["`, text[0]) < 0 {
		return plainNames(data), nil
	}
	return output.ReadItems[check.Hit](&term.Streams{In: bytes.NewReader(data)}, "memories", "results", "hits", "items", "matches")
}

// plainNames reads one name a line.
func plainNames(data []byte) (items []output.Item[check.Hit]) {
	for i, line := range strings.Split(string(data), "\n") {
		if name := strings.TrimSpace(line); name != "" && len(items) < output.MaxItems {
			raw, err := json.Marshal(name)
			var hit check.Hit
			if err == nil && hit.UnmarshalJSON(raw) == nil {
				items = append(items, output.Item[check.Hit]{Line: i + 1, Value: hit})
			}
		}
	}
	return items
}

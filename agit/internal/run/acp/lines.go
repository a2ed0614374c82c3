package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// longestLine bounds one message. The results of tools can be of any size; a longer message is skipped.
const longestLine = 8 << 20

// read splits the agent's output into messages. It handles notifications in order, before it passes on a later answer: when a turn has
// ended, everything that it reported has been read. Answers and requests go to the connection. Other output goes to the log, because
// programs print warnings there.
func (c *conversation) read(out io.Reader, to io.Writer) error {
	lines := bufio.NewReaderSize(out, 64<<10)
	var line []byte
	skip := false
	for {
		part, err := lines.ReadSlice('\n')
		if skip = skip || len(line)+len(part) > longestLine; !skip {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !skip && len(bytes.TrimSpace(line)) > 0 {
			if failed := c.take(line, to); failed != nil {
				return failed
			}
		}
		line, skip = line[:0], false
		if cap(line) > 1<<20 {
			line = nil
		}
		if err != nil {
			return io.EOF
		}
	}
}

func (c *conversation) take(line []byte, to io.Writer) error {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if line = bytes.TrimSpace(line); json.Unmarshal(line, &m) != nil || m.ID == nil && m.Method == "" {
		c.mu.Lock()
		c.out.line(string(line))
		if !c.result.Begun {
			c.broken = "the program does not speak the Agent Client Protocol; it printed: " + firstLine(string(line))
		}
		c.mu.Unlock()
		return nil
	}
	if m.ID == nil {
		c.notification(m.Method, m.Params)
		if m.Method != "$/cancel_request" {
			return nil
		}
	}
	_, err := to.Write(append(line, '\n'))
	return err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line[:min(len(line), 200)]
}

// writer prints an agent's messages for people: pieces of text as they arrive, and whole lines between them.
type writer struct {
	to   io.Writer
	open bool // a line has begun and not ended
}

func (w *writer) text(s string) {
	if s == "" || w.to == nil {
		return
	}
	_, _ = io.WriteString(w.to, s)
	w.open = !strings.HasSuffix(s, "\n")
}

func (w *writer) line(s string) {
	w.end()
	w.text(s + "\n")
}

func (w *writer) end() {
	if w.open {
		w.text("\n")
	}
}

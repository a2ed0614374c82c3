package acp

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
)

// tool is a tool call that has begun and not ended.
type tool struct {
	kind  string
	words string // its description in the log
	begun time.Time
}

// mostTools bounds the number of calls without an end. Some agents never report the ends of their calls.
const mostTools = 1000

// called prints a tool call when it begins, when the agent reports more about it, and when it ends:
//
//	[execute] make test
//	[failed] make test, 12s: exit status 2
func (c *conversation) called(u report, update json.RawMessage, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result.Acted, c.fresh = true, true
	r := readRequest(update)
	id, words := string(u.ID), toolWords(r, c.turn.Dir)
	t := c.tools[id]
	switch {
	case t == nil && u.Kind == "tool_call" && words != "":
		c.result.Calls++
		t = &tool{kind: cmp.Or(firstLine(r.Kind), "tool"), words: words, begun: now}
		if c.tools == nil || len(c.tools) >= mostTools {
			c.tools = map[string]*tool{}
		}
		c.tools[id] = t
		c.out.line("[" + t.kind + "] " + indented(words))
	case t != nil && words != "" && !strings.Contains(t.words, words):
		t.words, t.kind = words, cmp.Or(firstLine(r.Kind), t.kind)
		c.out.line("[" + t.kind + "] " + indented(words))
	default:
		c.out.end()
	}
	if word := ends[text(u.Status)]; word != "" {
		delete(c.tools, id)
		c.out.line("[" + word + "] " + ended(t, u, now))
	}
}

// ends maps the protocol's final states of a call to their words in the log.
var ends = map[string]string{"completed": "done", "failed": "failed"}

// ended returns the log line for the end of a call: its description, its duration in seconds, and the reason when it failed.
func ended(t *tool, u report, now time.Time) string {
	if t == nil { // its beginning was not reported
		t = &tool{words: cmp.Or(text(u.ID), string(u.ID)), begun: now}
	}
	words := firstLine(t.words)
	if took := now.Sub(t.begun).Round(time.Second); took > 0 {
		words += ", " + took.String()
	}
	if why := firstLine(contentOf(u.Content)); text(u.Status) == "failed" && why != "" {
		words += ": " + why
	}
	return words
}

// toolWords describes a call: its title, and the command, file or address when the title lacks it. Often the title is all of that.
// Paths in dir are shown relative to it.
func toolWords(r Request, dir string) string {
	title := firstLine(r.Title)
	if dir != "" {
		title = strings.ReplaceAll(title, dir+string(filepath.Separator), "")
	}
	if command := strings.TrimSpace(r.Command); command != "" && strings.HasPrefix(command, strings.Trim(title, "`")) {
		return command // the title is its beginning
	}
	list := []string{r.Command, r.URL}
	for _, path := range r.Paths {
		list = append(list, strings.TrimPrefix(path, dir+string(filepath.Separator)))
	}
	for _, what := range list {
		if what = strings.TrimSpace(what); what != "" && !strings.Contains(title, what) {
			return strings.TrimPrefix(title+": "+what, ": ")
		}
	}
	return title
}

// contentOf returns the text content of a tool report.
func contentOf(raw json.RawMessage) string {
	var parts []struct {
		Content struct{ Text string }
	}
	_ = json.Unmarshal(raw, &parts)
	for _, p := range parts {
		if strings.TrimSpace(p.Content.Text) != "" {
			return p.Content.Text
		}
	}
	return ""
}

// indented indents the further lines of a text, so that they cannot be mistaken for lines of the log.
func indented(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n  ") }

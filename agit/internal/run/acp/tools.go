package acp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
)

// tool is a tool's call under way.
type tool struct {
	kind  string
	words string // as the log names it
	begun time.Time
}

// mostTools bounds the calls whose ends are waited for. Agents that report no ends leave theirs.
const mostTools = 1000

// called prints the call of a tool when it begins, and again when the agent tells more of it, and how it ended:
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
		t = &tool{kind: orElse(firstLine(r.Kind), "tool"), words: words, begun: now}
		if c.tools == nil || len(c.tools) >= mostTools {
			c.tools = map[string]*tool{}
		}
		c.tools[id] = t
		c.out.line("[" + t.kind + "] " + indented(words))
	case t != nil && words != "" && !strings.Contains(t.words, words):
		t.words, t.kind = words, orElse(firstLine(r.Kind), t.kind)
		c.out.line("[" + t.kind + "] " + indented(words))
	default:
		c.out.end()
	}
	if word := ends[text(u.Status)]; word != "" {
		delete(c.tools, id)
		c.out.line("[" + word + "] " + ended(t, u, now))
	}
}

// ends are the states of the protocol in which a call has ended, as the log names them.
var ends = map[string]string{"completed": "done", "failed": "failed"}

// ended is how the log tells the end of a call: its name in one line, the seconds that it took, and why it failed.
func ended(t *tool, u report, now time.Time) string {
	if t == nil { // it was not told of
		t = &tool{words: orElse(text(u.ID), string(u.ID)), begun: now}
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

// toolWords names a call: its title, and the command, file or address that the title lacks. A title is often that alone. Files in dir are
// named from there.
func toolWords(r Request, dir string) string {
	title := firstLine(r.Title)
	if dir != "" {
		title = strings.ReplaceAll(title, dir+string(filepath.Separator), "")
	}
	if command := strings.TrimSpace(r.Command); command != "" && strings.HasPrefix(command, strings.Trim(title, "`")) {
		return command // and the title is its beginning
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

// contentOf is the text in the content of a tool's report.
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

// indented is a text for the log whose further lines cannot be taken for lines of the log.
func indented(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n  ") }

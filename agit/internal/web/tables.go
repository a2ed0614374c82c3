package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// table defines how a list is shown. The first page and the scripts both use it, so that a page looks the same before and after its
// scripts run: the columns, their order and headings, and the format of cells.
type table struct {
	Title   string   `json:"title"`
	Note    string   `json:"note,omitempty"`
	Columns []column `json:"columns"` // the first one names the row
}

// column is one column of a table.
type column struct {
	Name string `json:"name"`         // its heading
	As   string `json:"as,omitempty"` // the format, one of cells; text when empty
	Of   string `json:"of,omitempty"` // the field of the row's document; the whole row when empty
	Size string `json:"size,omitempty"`
	Wide bool   `json:"wide,omitempty"` // hidden in a narrow window
	N    bool   `json:"n,omitempty"`    // aligned right, for numbers
}

// tables are the lists by their names in the scripts.
var tables = map[string]table{
	"needs": {"Needs you", "", []column{
		{Name: "Task", As: "heading"}, {Name: "Why", As: "reason"}, {Name: "State", As: "need"}, {Name: "Who", As: "who"}, {Name: "Of", As: "subject"}, {Name: "Changes", Of: "change"}, {Name: "Cost", Of: "cost", N: true}, {Name: "What to do", As: "sentence", Of: "next"},
	}},
	"lane": {"Tasks", "", []column{
		{Name: "Task", Of: "name"}, {Name: "Agent", Of: "agent"}, {Name: "Priority", As: "priority", Of: "priority"}, {Name: "Changed", As: "since", Of: "changed"}, {Name: "Id", As: "code", Of: "id"},
	}},
	"beside": {"Tickets", "", []column{
		{Name: "Ticket", Of: "title"}, {Name: "Id", As: "code", Of: "id"}, {Name: "Assignee", Of: "assignee"}, {Name: "Priority", As: "priority", Of: "priority"}, {Name: "Status", Of: "status"}, {Name: "Task", As: "code", Of: "task"},
	}},
	"path": {"Critical path", "", []column{
		{Name: "Task", As: "task"}, {Name: "State", As: "state", Of: "state"},
	}},
	"records": {"Records", "SP score points, XP experience, CS communication score; bugs were found in the agent's work.", []column{
		{Name: "Agent", As: "record", Of: "agent"}, {Name: "SP", Of: "sp", N: true}, {Name: "XP", As: "decimal", Of: "xp", N: true}, {Name: "CS", Of: "cs", N: true},
		{Name: "Commits", Of: "commits", N: true}, {Name: "Bugs", As: "faults", Of: "bugs", N: true}, {Name: "State", As: "halted", Of: "halted"}, {Name: "Changed", As: "since", Of: "updated", Wide: true},
	}},
	"memories": {"Memories", "", []column{
		{Name: "Memory", Of: "title", Size: "grow"}, {Name: "State", As: "kept", Size: "m"}, {Name: "Broken", As: "broken", Size: "s", N: true},
		{Name: "Decay", As: "faded", Size: "m"}, {Name: "Type", Of: "type", Size: "m", Wide: true}, {Name: "Used", As: "used", Size: "s", N: true, Wide: true},
	}},
	"tickets": {"Tickets", "", []column{
		{Name: "Ticket", As: "code", Of: "id", Size: "m"}, {Name: "Title", Of: "title", Size: "grow"}, {Name: "Status", As: "ticket", Size: "m"},
		{Name: "Criteria", As: "verified", Of: "criteria", Size: "m"}, {Name: "Assignee", Of: "assignee", Size: "m", Wide: true}, {Name: "Priority", Of: "priority", Size: "s", Wide: true},
	}},
	"sessions": {"Sessions", "", []column{
		{Name: "Agent", As: "sitter", Of: "agent", Size: "s"}, {Name: "Outcome", As: "outcome", Size: "m"}, {Name: "Started", As: "moment", Of: "started_at", Size: "l"},
		{Name: "Lasted", As: "lasted", Size: "s", N: true, Wide: true}, {Name: "About", As: "about", Size: "grow"},
	}},
	"agents": {"Agents", "", []column{
		{Name: "Agent", As: "worker"}, {Name: "State", As: "standing"}, {Name: "Works on", As: "work"}, {Name: "Commits", As: "distance", Wide: true}, {Name: "Files", As: "tree"}, {Name: "Cost today", Of: "spent_today", N: true, Wide: true},
	}},
	"worktrees": {"Worktrees", "", []column{
		{Name: "Worktree", As: "place"}, {Name: "Agent", Of: "by"}, {Name: "Files", As: "files"}, {Name: "Branch", As: "code", Of: "branch", Wide: true},
	}},
	"landings": {"Landings", "", []column{
		{Name: "Worktree", As: "place"}, {Name: "State", As: "standing"}, {Name: "Agent", Of: "agent"}, {Name: "Gate", As: "gate"},
	}},
	"waiting": {"What waits for what", "", []column{
		{Name: "Task", As: "task"}, {Name: "State", As: "state", Of: "state"}, {Name: "Waits for", As: "ids", Of: "on"},
	}},
	"files": {"Files", "", []column{
		{Name: "File", As: "file"}, {Name: "Lines", Of: "lines"}, {Name: "Between", As: "sides", Of: "sides"}, {Name: "Depth", As: "depth", Wide: true}, {Name: "Since", As: "since", Of: "since", Wide: true},
	}},
}

// tablesScript is a module with the tables for the scripts.
var tablesScript = sync.OnceValue(func() []byte {
	text, _ := json.Marshal(tables) // cannot fail: only texts and flags
	return fmt.Appendf(nil, "// What each list shows; the server's first page follows it too.\nexport const tables = %s;\n", text)
})

// row is a document of a list in the form that the scripts get.
type row map[string]any

func (r row) text(field string) string { return textOf(r[field]) }

// around is the context of cells besides their row.
type around struct {
	now  time.Time
	many bool // several repositories are shown, so names include the repository
	// trees are the worktrees with agents, by ref.
	trees map[string]overview.Worktree
}

// in returns a name, with its repository when several are shown.
func (a around) in(repo, name string) string {
	if a.many && repo != "" && name != "" {
		return repo + "/" + name
	}
	return name
}

// subjectOf returns the subject of a need: a worktree, or a task's id.
func subjectOf(r row, a around) string {
	if r.text("worktree") != "" { // a task belongs to no repository
		return a.in(r.text("repo"), r.text("what"))
	}
	return r.text("what")
}

// headingOf returns the name of a need's task, otherwise its worktree, otherwise its agent.
func headingOf(r row, a around) string {
	return cmp.Or(r.text("task_name"), subjectOf(r, a), r.text("who"))
}

// cells are the cell formats; cells.js has the same ones by the same names.
var cells = map[string]func(v any, r row, a around) string{
	"text":    func(v any, _ row, _ around) string { return textOf(v) },
	"code":    func(v any, _ row, _ around) string { return textOf(v) },
	"record":  func(v any, _ row, _ around) string { return textOf(v) },
	"faults":  func(v any, _ row, _ around) string { return textOf(v) },
	"decimal": func(v any, _ row, _ around) string { return decimal(v) },
	"since":   func(v any, _ row, a around) string { return sinceOf(v, a) },
	"moment":  func(v any, _ row, _ around) string { return moment(v) },
	"halted": func(v any, _ row, _ around) string {
		if v == true {
			return "halted"
		}
		return ""
	},
	"kept": func(_ any, r row, _ around) string { return cmp.Or(r.text("archived"), r.text("state")) },
	"broken": func(_ any, r row, _ around) string {
		if r.text("citations") == "0" {
			return ""
		}
		return r.text("broken") + " of " + r.text("citations")
	},
	"faded": func(_ any, r row, _ around) string {
		if n, ok := r["importance"].(float64); ok && n >= 5 {
			return "never fades"
		}
		return decimal(r["decay"])
	},
	"used":   func(_ any, r row, a around) string { return r.text("uses") + " × " + sinceOf(r["used_at"], a) },
	"ticket": func(_ any, r row, _ around) string { return words(cmp.Or(r.text("status"), r.text("category"))) },
	"verified": func(v any, _ row, _ around) string {
		all, done := objects(v), 0
		for _, c := range all {
			if c["status"] == "verified" {
				done++
			}
		}
		if len(all) == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d", done, len(all))
	},
	"sitter": func(v any, _ row, _ around) string { return cmp.Or(textOf(v), "no agent") },
	"outcome": func(_ any, r row, _ around) string {
		if r["status"] == "active" {
			return "active"
		}
		return words(cmp.Or(r.text("outcome"), r.text("status")))
	},
	"lasted": func(_ any, r row, a around) string {
		from, began := timeOf(r["started_at"])
		until, ended := timeOf(r["ended_at"])
		if r["status"] == "active" {
			until, ended = a.now, true
		} else if !ended {
			until, ended = timeOf(r["heard_at"])
		}
		if !began || !ended {
			return ""
		}
		return term.Since(from, until)
	},
	"about":  func(_ any, r row, _ around) string { return cmp.Or(r.text("summary"), r.text("title")) },
	"reason": func(_ any, r row, _ around) string { return cmp.Or(r.text("reason"), r.text("state")) },
	"need": func(_ any, r row, a around) string {
		return strings.TrimSpace(r.text("state") + " " + sinceOf(r["since"], a))
	},
	"who": func(_ any, r row, _ around) string {
		if r["who"] == r["task"] || r["who"] == r["task_name"] {
			return ""
		}
		return r.text("who")
	},
	"heading": func(_ any, r row, a around) string { return headingOf(r, a) },
	"subject": func(_ any, r row, a around) string {
		if subject := subjectOf(r, a); subject != headingOf(r, a) {
			return subject
		}
		return ""
	},
	"sentence": func(v any, _ row, _ around) string { return textOf(v) },
	"priority": func(v any, _ row, _ around) string {
		if v == "medium" {
			return ""
		}
		return textOf(v)
	},
	"task": func(_ any, r row, _ around) string { return strings.TrimSpace(r.text("id") + " " + r.text("name")) },
	"ids": func(v any, _ row, _ around) string {
		return strings.Join(textsOf(v), ", ")
	},
	"state": func(v any, _ row, _ around) string { return words(textOf(v)) },
	"worker": func(_ any, r row, _ around) string {
		if host := r.text("host"); host != "" {
			return r.text("name") + " on " + host
		}
		return r.text("name")
	},
	"standing": func(_ any, r row, a around) string {
		said := strings.TrimSpace(words(r.text("state")) + " " + sinceOf(r["since"], a))
		if r["halted"] == true {
			said += " halted"
		}
		if n, _ := r["messages_waiting"].(float64); n > 0 {
			said += " " + text.Count(int(n), "message waits", "messages wait")
		}
		return said
	},
	"work": func(_ any, r row, a around) string {
		on := cmp.Or(r.text("task_name"), r.text("task"))
		if tree, ok := a.trees[r.text("worktree")]; ok {
			on = a.in(tree.Repo, tree.Name)
		}
		return strings.Trim(on+": "+r.text("note"), ": ")
	},
	"distance": func(_ any, r row, a around) string {
		tree := a.trees[r.text("worktree")]
		return strings.TrimSpace(number(tree.Ahead, "ahead") + " " + number(tree.Behind, "behind"))
	},
	"tree": func(_ any, r row, a around) string {
		tree := a.trees[r.text("worktree")]
		return noted(words(tree.State), tree.Notes)
	},
	"files": func(_ any, r row, _ around) string {
		return noted(words(r.text("state")), textsOf(r["notes"]))
	},
	"place": func(_ any, r row, a around) string { return a.in(r.text("repo"), r.text("name")) },
	"gate":  func(_ any, r row, _ around) string { return cmp.Or(r.text("reason"), r.text("gate"), r.text("commit")) },
	"file":  func(_ any, r row, a around) string { return a.in(r.text("repo"), r.text("file")) },
	"sides": func(v any, _ row, _ around) string {
		var names []string
		for _, side := range objects(v) {
			names = append(names, strings.TrimSpace(cmp.Or(side.text("by"), side.text("agent"))+" "+side.text("name")))
		}
		return strings.Join(names, " × ")
	},
	"depth": func(_ any, r row, _ around) string {
		depth := r.text("depth")
		return noted(cmp.Or(map[string]string{"merge": "will not merge", "uses": "may break", "lines": "same lines", "file": "same file"}[depth], depth), textsOf(r["why"]))
	},
}

// list adds a table of rows, which are documents of the page; count is the total number. A non-empty title or note replaces the table's
// own.
func list[T any](p *Paint, name, title, note string, count int, all []T, a around) {
	t := tables[name]
	var heads []string
	for _, c := range t.Columns {
		heads = append(heads, c.Name)
	}
	all = all[:min(len(all), paintRows)]
	painted := make([][]string, len(all))
	for i, one := range all {
		var r row
		if text, err := json.Marshal(one); err == nil {
			_ = json.Unmarshal(text, &r) // it was marshaled here
		}
		for _, c := range t.Columns {
			v := any(r)
			if c.Of != "" {
				v = r[c.Of]
			}
			painted[i] = append(painted[i], cells[cmp.Or(c.As, "text")](v, r, a))
		}
	}
	p.addFirst(count, cmp.Or(title, t.Title), cmp.Or(note, t.Note), heads, painted)
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

func textsOf(v any) (all []string) {
	list, _ := v.([]any)
	for _, one := range list {
		all = append(all, textOf(one))
	}
	return all
}

// noted returns a state with its notes.
func noted(state string, notes []string) string {
	return strings.Join(append(slices.DeleteFunc([]string{state}, func(s string) bool { return s == "" }), notes...), ", ")
}

// number returns a count with its word; "" for zero or unknown.
func number(n *int, word string) string {
	if n == nil || *n == 0 {
		return ""
	}
	return strconv.Itoa(*n) + " " + word
}

func decimal(v any) string {
	n, _ := v.(float64)
	return strconv.FormatFloat(n, 'f', 1, 64)
}

// words returns a state in words for people.
func words(state string) string { return strings.ReplaceAll(state, "_", " ") }

func objects(v any) (all []row) {
	list, _ := v.([]any)
	for _, one := range list {
		if object, ok := one.(map[string]any); ok {
			all = append(all, object)
		}
	}
	return all
}

func timeOf(v any) (at time.Time, ok bool) {
	text, _ := v.(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	return at, err == nil && !at.IsZero()
}

func sinceOf(v any, a around) string {
	at, ok := timeOf(v)
	if !ok {
		return ""
	}
	return term.Since(at, a.now)
}

func moment(v any) string {
	at, ok := timeOf(v)
	if !ok {
		return ""
	}
	return at.UTC().Format("2006-01-02 15:04")
}

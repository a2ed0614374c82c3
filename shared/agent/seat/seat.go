// Package seat finds the agent of a client's conversation when no agent is named. A client starts its hooks and MCP
// servers from one process, by which they find each other: all of them are one agent. Its name, such as claude-1, is one
// that people can tell from others. The number is free again when the conversation or the process has ended. This package
// alone writes `seats`. Its functions take a transaction and so are safe for concurrent use.
//
// seat.go has the rows, process*.go finds the client's process.
package seat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Client is a client that calls.
type Client struct {
	Name         string  // as it calls itself, or its hooks do: "claude-code"
	Conversation string  // its own id of it; "" where it is not known, as to an MCP server
	Process      Process // that started the caller
}

// Known reports whether there is enough to tell the client from others.
func (c Client) Known() bool { return c.Conversation != "" || c.Process.PID != 0 }

// row is a seat.
type row struct {
	id                          int64
	agent, client, conversation string
	pid                         int64
	mark                        string
	taken                       timestamp.Time
	ended                       bool
}

// held reports whether a client occupies the seat: its conversation has not ended, and its process, if known, is alive.
func (r row) held() bool {
	return !r.ended && (r.pid == 0 && time.Since(r.taken.Time) < forgotten || r.pid != 0 && Process{r.pid, r.mark}.alive())
}

// forgotten is the age at which a seat without a process counts as left.
const forgotten = 24 * time.Hour

func rows(tx *registry.Tx) ([]row, error) {
	return registry.Collect(tx, func(s registry.Scanner) (r row, err error) {
		return r, s.Scan(&r.id, &r.agent, &r.client, &r.conversation, &r.pid, &r.mark, &r.taken, &r.ended)
	}, `SELECT id, name, client, conversation, pid, mark, taken_at, ended_at IS NOT NULL FROM seats WHERE host = ? ORDER BY id`, registry.Host())
}

// Find returns the agent of a client's conversation, without writing; "" when it has none yet.
func Find(tx *registry.Tx, c Client) (string, error) {
	all, err := rows(tx)
	if err != nil {
		return "", err
	}
	if i := find(all, c); i >= 0 {
		return all[i].agent, nil
	}
	return "", nil
}

// find returns the index of a client's seat, or -1: the seat of its conversation, else of its process, if that has only one, or has one
// without a conversation so far.
func find(all []row, c Client) int {
	if c.Conversation != "" {
		if i := slices.IndexFunc(all, func(r row) bool { return r.conversation == c.Conversation && short(r.client) == short(c.Name) }); i >= 0 && (all[i].held() || !takenSince(all, all[i])) {
			return i
		}
	}
	at, n, free := -1, 0, -1
	for i, r := range all {
		if c.Process.PID == 0 || r.pid != c.Process.PID || r.mark != c.Process.Mark || r.ended || !alike(r.client, c.Name) {
			continue
		}
		at = i
		n++
		if r.conversation == "" {
			free = i
		}
	}
	switch {
	case free >= 0:
		return free
	case c.Conversation == "" && n == 1:
		return at
	}
	return -1
}

// takenSince reports whether another conversation has taken the agent of a seat that was left.
func takenSince(all []row, left row) bool {
	return slices.ContainsFunc(all, func(r row) bool { return r.agent == left.agent && r.id != left.id && r.held() })
}

// Take returns the agent of a client's conversation, and seats the client if it has none. A new seat gets the first number that no client
// holds and whose agent has neither a claim nor a worktree. The agent is registered by the first write in its name.
func Take(tx *registry.Tx, c Client) (string, error) {
	all, err := rows(tx)
	if err != nil {
		return "", err
	}
	if i := find(all, c); i >= 0 {
		r := all[i]
		if c.Conversation == "" || r.conversation == c.Conversation && !r.ended && r.pid == c.Process.PID {
			return r.agent, nil
		}
		// An MCP server took the seat first, or the conversation was resumed in another process.
		err := tx.Do(`UPDATE seats SET conversation = ?, client = ?, pid = ?, mark = ?, ended_at = NULL, taken_at = ? WHERE id = ?`,
			c.Conversation, c.Name, c.Process.PID, c.Process.Mark, tx.Stamp(), r.id)
		return r.agent, err
	}
	name, err := free(tx, all, short(c.Name))
	if err != nil {
		return "", err
	}
	// Up to now, the last calls of the previous conversation still found their agent.
	if err := tx.Do(`DELETE FROM seats WHERE host = ? AND name = ?`, registry.Host(), name); err != nil {
		return "", err
	}
	err = tx.Do(`INSERT INTO seats (name, client, conversation, host, pid, mark, taken_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		name, c.Name, c.Conversation, registry.Host(), c.Process.PID, c.Process.Mark, tx.Stamp())
	return name, err
}

// mostNumbers bounds the numbers that are tried.
const mostNumbers = 10_000

// free returns the first free name.
func free(tx *registry.Tx, all []row, client string) (string, error) {
	left := map[string]bool{} // names whose clients are gone
	busy := map[string]bool{}
	for _, r := range all {
		busy[r.agent] = busy[r.agent] || r.held()
		left[r.agent] = true
	}
	type known struct {
		name  string
		works bool
	}
	agents, err := registry.Collect(tx, func(s registry.Scanner) (k known, err error) { return k, s.Scan(&k.name, &k.works) }, `SELECT name_key,
		CASE WHEN EXISTS (SELECT 1 FROM leases l JOIN items i ON i.id = l.item_id WHERE l.agent_id = agents.id AND i.state = 'active')
		  OR EXISTS (SELECT 1 FROM worktrees w WHERE w.agent_id = agents.id AND w.finished_at IS NULL) THEN 1 ELSE 0 END
		FROM agents WHERE removed_at IS NULL AND name_key LIKE ?`, client+"-%")
	if err != nil {
		return "", err
	}
	for _, a := range agents { // an agent that no client here left was named by a person, or belongs to another host
		busy[a.name] = busy[a.name] || a.works || !left[a.name]
	}
	for n := range mostNumbers {
		if name := fmt.Sprintf("%s-%d", client, n+1); !busy[name] {
			return name, nil
		}
	}
	return client, nil
}

// Handle names a conversation by its client and the client's own id of it, such as claude-code-2f1e3a4b-…. It stays valid when the agent's
// number goes to another conversation.
func Handle(client, conversation string) string { return Word(client) + "-" + text.Key(conversation) }

// Handles returns the handles of the seated conversations on this host, by the name of their agent.
func Handles(tx *registry.Tx) (map[string]string, error) {
	all, err := rows(tx)
	handles := map[string]string{}
	for _, r := range all {
		if r.conversation != "" && r.held() {
			handles[r.agent] = Handle(r.client, r.conversation)
		}
	}
	return handles, err
}

// leastOfHandle is how many letters and digits of a conversation's id are enough to name it.
const leastOfHandle = 8

// Handled returns the agent of the conversation on this host that a handle names. The id in the handle may be cut off after its eighth
// character. It returns "" when no conversation matches, or several do. The name of a numbered agent, such as codex-2, is not a handle.
func Handled(tx *registry.Tx, handle string) (agent string, err error) {
	handle = text.Key(handle)
	if !slices.ContainsFunc(names, func(known struct{ begins, name string }) bool { return strings.HasPrefix(handle, known.begins+"-") }) {
		return "", nil
	}
	all, err := rows(tx)
	for _, r := range all {
		switch {
		case !r.handledBy(handle):
		case agent != "" && agent != r.agent:
			return "", err
		default:
			agent = r.agent
		}
	}
	return agent, err
}

func (r row) handledBy(handle string) bool {
	id, ok := strings.CutPrefix(handle, Word(r.client)+"-")
	if !ok || r.conversation == "" || strings.Trim(id, "0123456789") == "" && len(id) < leastOfHandle {
		return false
	}
	whole := text.Key(r.conversation)
	return id == whole || len(id) >= leastOfHandle && strings.HasPrefix(whole, id)
}

// End frees the seat of a conversation that has ended. The last calls of the conversation still find the seat for a while.
func End(tx *registry.Tx, client, conversation string) error {
	if conversation == "" {
		return nil
	}
	return tx.Do(`UPDATE seats SET ended_at = ? WHERE host = ? AND conversation = ? AND client = ? AND ended_at IS NULL`, tx.Stamp(), registry.Host(), conversation, client)
}

// Left returns the conversations on this host whose clients' processes ended without reporting it, and the agents whose clients name no
// conversation and have all ended.
func Left(tx *registry.Tx) (conversations, agents map[string]bool, err error) {
	all, err := rows(tx)
	conversations, agents = map[string]bool{}, map[string]bool{}
	for _, r := range all {
		switch {
		case r.pid == 0 || r.ended || r.held():
		case r.conversation != "":
			conversations[r.conversation] = true
		case !slices.ContainsFunc(all, func(other row) bool { return other.agent == r.agent && other.held() }):
			agents[r.agent] = true
		}
	}
	return conversations, agents, err
}

// names maps the beginning of a client's own name to the name that people use.
var names = []struct{ begins, name string }{
	{"claude", "claude"}, {"codex", "codex"}, {"gemini", "gemini"}, {"qwen", "qwen"}, {"cursor", "cursor"}, {"opencode", "opencode"}, {"copilot", "copilot"},
	{"github-copilot", "copilot"}, {"visual-studio-code", "vscode"}, {"windsurf", "windsurf"}, {"zed", "zed"},
}

// short returns the name that people use for a client.
func short(client string) string {
	word := Word(client)
	for _, known := range names {
		if word == known.begins || strings.HasPrefix(word, known.begins+"-") {
			return known.name
		}
	}
	return word
}

// Word makes a client's own name a lower-case word that fits into an agent's name; "client" when it has no name.
func Word(client string) string {
	words := strings.FieldsFunc(strings.ToLower(client), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_'
	})
	return cmp.Or(text.Cut(strings.Join(words, "-"), longestName), "client")
}

// longestName bounds the part of an agent's name that is its client's, in bytes.
const longestName = 40

// alike reports whether two names belong to one client: the name that its hooks use, and the name that it introduces itself with to
// servers.
func alike(a, b string) bool {
	a, b = short(a), short(b)
	return a == b || strings.HasPrefix(a, b+"-") || strings.HasPrefix(b, a+"-")
}

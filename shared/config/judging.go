package config

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// judgingKeys are the settings that decide whether work may land. One of them that was trusted must not go away while no one looks:
// by another text of the file, a link in its place, or its removal.
var judgingKeys = []string{"gate", "hooks.pre_merge", "land"}

// personsKeys are those that only a person sets beside them: who may land and review, whose comments reach agents, and what those may do.
var personsKeys = append([]string{"forge.auto_merge", "forge.comments", "gate_env", "review.by_agents", "work.allow", "work.ask", "work.ask_for", "work.deny", "work.sandbox"}, judgingKeys...)

// IsPersons reports whether a key decides how work is judged, who decides that, or what agents may do. Agents set none of them: neither in
// the user's file nor in the environment of a command of theirs.
func IsPersons(key string) bool {
	return slices.ContainsFunc(personsKeys, func(k string) bool { return key == k || strings.HasSuffix(key, "."+k) })
}

// AgentOf names the agent that an environment is of, for a sentence; "" for a person.
func AgentOf(getenv func(string) string) string {
	switch {
	case getenv("AGIT_AGENT") != "":
		return "agent \"" + getenv("AGIT_AGENT") + "\""
	case getenv("AGIT_RUN") != "":
		return "a run of an agent's client"
	}
	return ""
}

// trustEntry is one text of a project's file that the user trusts.
type trustEntry struct {
	hash, path string
	judging    string // the judging keys that it sets, with commas between them; "-" for none, "" where no one noted it
}

func (e trustEntry) line() string {
	line := e.hash + " " + strconv.Quote(e.path)
	if e.judging != "" {
		line += " " + e.judging
	}
	return line + "\n"
}

// parseTrust reads a line of the record of trust.
func parseTrust(line string) (e trustEntry, ok bool) {
	hash, rest, _ := strings.Cut(line, " ")
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil || len(hash) != 64 {
		return e, false
	}
	place, err := strconv.Unquote(quoted)
	if err != nil {
		return e, false
	}
	return trustEntry{hash, place, strings.TrimSpace(rest[len(quoted):])}, true
}

// keys are the judging keys that the text sets. Of one that no one noted it may have been the gate.
func (e trustEntry) keys() []string {
	switch e.judging {
	case "":
		return []string{"gate"}
	case "-":
		return nil
	}
	return strings.Split(e.judging, ",")
}

// judging are the judging keys among the settings of a file that need trust, as the record of trust has them.
func (f ProjectFile) judging() string {
	var found []string
	for _, v := range f.Needs {
		key := v.Key
		if i := strings.LastIndex(key, "]."); i >= 0 {
			key = key[i+2:] // of a [[repo]] table
		}
		if slices.Contains(judgingKeys, key) && !slices.Contains(found, key) {
			found = append(found, key)
		}
	}
	if len(found) == 0 {
		return "-"
	}
	slices.Sort(found)
	return strings.Join(found, ",")
}

// remember notes which judging keys a trusted text of a project's file had, where the text that it has now, f, is not trusted, or
// there is none.
func (l *loader) remember(name string, f *file) error {
	if f == nil {
		f = &file{path: path.Join(l.options.Project, name)}
	} else if trusted, err := l.trusts(f); err != nil || trusted {
		return err
	}
	entries, err := l.readTrust()
	if err != nil {
		return err
	}
	at := l.trustKey(f)
	for _, e := range entries {
		if e.path != at {
			continue
		}
		for _, key := range e.keys() {
			if l.lost == nil {
				l.lost = map[string]bool{}
			}
			l.lost[key] = true
		}
	}
	return nil
}

// Unjudged are the settings that would decide whether work lands in a repository and have no effect: Waiting are those that
// the project's files set and the user has not trusted, Lost those that a text which was trusted had.
type Unjudged struct{ Waiting, Lost []string }

// Any reports whether there are some.
func (u Unjudged) Any() bool { return len(u.Waiting)+len(u.Lost) > 0 }

// Unjudged returns them for the repository with the given name. What the user's own configuration sets for that repository, or
// the environment, counts whatever the project says.
func (c *Config) Unjudged(repo string) (u Unjudged) {
	for _, key := range judgingKeys {
		shown := repoKey(repo, key)
		from := c.source.origins[shown]
		settled := from.file != nil && !from.file.kind.fromProject() || c.source.origins[key].text != ""
		waits := c.source.waiting[shown] || c.source.waiting[key] && !settled
		lost := c.source.lost[key] && !settled
		switch {
		case key == "land" && !lost: // what no one trusted ever is the default then, which lands nothing by itself
		case waits:
			u.Waiting = append(u.Waiting, key)
		case lost:
			u.Lost = append(u.Lost, key)
		}
	}
	return u
}

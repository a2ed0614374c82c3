package config

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// judgingKeys are the settings that decide whether work may land. A trusted one must not vanish unnoticed, because the file's text changed,
// a link replaced the file, or the file was removed.
var judgingKeys = []string{"gate", "hooks.pre_merge", "land"}

// personsKeys are those that only a person sets beside them: who may land and review, whose comments reach agents, and what those may do.
var personsKeys = append([]string{"forge.auto_merge", "forge.comments", "gate_env", "review.by_agents", "work.allow", "work.ask", "work.ask_for", "work.deny", "work.sandbox"}, judgingKeys...)

// IsPersons reports whether a key decides how work is judged, who decides that, or what agents may do. Agents may set none of these keys,
// neither in the user's file nor in the environment of their commands.
func IsPersons(key string) bool {
	return slices.ContainsFunc(personsKeys, func(k string) bool { return key == k || strings.HasSuffix(key, "."+k) })
}

// AgentOf names the agent whose environment this is, for a sentence; "" for a person.
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

// keys returns the judging keys that the text sets. An entry that does not record them counts as setting the gate.
func (e trustEntry) keys() []string {
	switch e.judging {
	case "":
		return []string{"gate"}
	case "-":
		return nil
	}
	return strings.Split(e.judging, ",")
}

// judging returns the judging keys among the settings of a file that need trust, in the form of the record of trust.
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

// remember records which judging keys the trusted texts of a project's file had, if the file's present text, f, is not trusted or the file
// is missing.
func (l *loader) remember(name string, f *file) error {
	if f == nil {
		f = &file{path: path.Join(l.options.Project, name)}
	} else if trusted, err := l.trusts(f); err != nil || trusted {
		return err
	}
	entries, err := l.readTrust()
	if err != nil || len(entries) == 0 {
		return err
	}
	at := l.trustKey(f) // resolves links, which costs more than all else where there are no files
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

// Unjudged are the settings that would decide whether work lands in a repository but have no effect. Waiting are those that the project's
// files set and the user has not trusted; Lost are those of a text that was trusted before.
type Unjudged struct{ Waiting, Lost []string }

// Any reports whether there are any.
func (u Unjudged) Any() bool { return len(u.Waiting)+len(u.Lost) > 0 }

// Unjudged returns these settings for the repository with the given name. The user's own configuration for that repository, and the
// environment, count whatever the project sets.
func (c *Config) Unjudged(repo string) (u Unjudged) {
	for _, key := range judgingKeys {
		shown := repoKey(repo, key)
		from := c.source.origins[shown]
		settled := from.file != nil && !from.file.kind.fromProject() || c.source.origins[key].text != ""
		waits := c.source.waiting[shown] || c.source.waiting[key] && !settled
		lost := c.source.lost[key] && !settled
		switch {
		case key == "land" && !lost: // if it was never trusted the default holds, which lands nothing by itself
		case waits:
			u.Waiting = append(u.Waiting, key)
		case lost:
			u.Lost = append(u.Lost, key)
		}
	}
	return u
}

package setup

import (
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// Finding is a problem of a client that was set up.
type Finding struct {
	Client string
	State  State  // missing, stale or broken
	What   string // "server agit, memoryd"
	File   string
	Why    string
	Fix    string // what to type, or to do
}

// IgnoredHint is what to do where git ignores files of the set-up.
const IgnoredHint = "name them in .worktreeinclude, which copies them, or use `agit setup --global`, which needs no file of the project"

// Findings returns the clients that are set up, and their problems: items that were put in and are gone, stale items, and unreadable files.
// Items that were never put in are not reported.
func (s *Setup) Findings(ctx context.Context) (clients []string, findings []Finding, err error) {
	r, err := s.Look(ctx)
	if err != nil {
		return nil, nil, err
	}
	var wrong []Item
	for _, it := range r.Items {
		client := it.Clients[0]
		f := s.open(it.File)
		recorded := f.old.entryOf(it.id()) != nil
		if it.Kind == KindServer && (it.State == Current || recorded) && !slices.Contains(clients, client) {
			clients = append(clients, client)
		}
		if it.State == Stale || it.State == Broken && it.Kind == KindServer || it.State == Missing && recorded {
			wrong = append(wrong, it)
		}
	}
	if twice := s.twice(r); len(twice) > 0 {
		findings = append(findings, Finding{Client: strings.Join(twice, ", "), State: "doubled", What: "the set-up", File: "the plugin " + pluginID, Why: "hooks run and servers start twice",
			Fix: "`agit setup --remove " + strings.Join(twice, " ") + "` leaves the plugin alone; disabling the plugin leaves the set-up"})
	}
	for _, row := range Group(wrong) {
		command := "agit setup " + strings.Join(row.Clients, " ")
		if s.Options.Scope == User {
			command += " --global"
		}
		f := Finding{Client: strings.Join(row.Clients, ", "), State: row.Item.State, What: row.Items(), File: row.Where(s.root, s.Home), Why: row.Why, Fix: "`" + command + "`"}
		switch {
		case row.Item.State == Broken:
			f.Fix = "mend the file, then " + f.Fix
		case row.Done == Kept:
			f.Fix = "`" + command + " --force --dry-run` shows what would replace it"
		}
		findings = append(findings, f)
	}
	if len(clients) == 0 {
		return clients, findings, nil
	}
	for i := range r.Items { // nothing was done: Done holds what would be done
		r.Items[i].Done = ""
	}
	files, ignored, err := s.Uncommitted(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	lacking := Finding{Client: strings.Join(clients, ", "), State: "not committed", What: "the set-up", Why: "worktrees would not have it"}
	if len(files) > 0 {
		lacking.File, lacking.Fix = text.Few(Tops(files)), "`agit setup --commit`, or `agit setup --global`, which needs no commit"
		findings = append(findings, lacking)
	}
	if len(ignored) > 0 {
		lacking.State, lacking.File, lacking.Fix = "ignored by git", text.Few(Tops(ignored)), IgnoredHint
		findings = append(findings, lacking)
	}
	return clients, findings, nil
}

// twice returns the clients that have a server or a hook both from setup and from the plugin.
func (s *Setup) twice(r Report) (clients []string) {
	for i := range r.Items {
		it := &r.Items[i]
		put := (it.Kind == KindServer || it.Kind == KindHook) && it.State == Current && it.Why == ""
		if put && s.byPlugin(it) != "" && !slices.Contains(clients, it.Clients[0]) {
			clients = append(clients, it.Clients[0])
		}
	}
	return clients
}

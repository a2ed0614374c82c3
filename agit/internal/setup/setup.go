// Package setup registers the suite with the agent clients of this machine: MCP
// servers, session hooks, skills, agent definitions, and a block of habits in
// AGENTS.md. It finds out what is missing, puts it in, and takes it out again.
//
// The files of each client are data (recipes.go); texts are changed by the edit
// package, and every file on its own: one that cannot be read or does not parse
// is left alone and named, and the others are done. A manifest in AGIT_HOME keeps
// what was written, so that taking it out restores the bytes from before. A Setup
// is used by one run; two runs at once take turns.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// Servers are the programs that have an MCP server, in display order.
var Servers = []string{"agit", "pmsync", "memoryd", "citecheck", "classify"}

// Options are the choices for a run.
type Options struct {
	Clients   []string // client names; when empty, the clients that are found
	Servers   []string // when empty, those of an earlier choice, else all; AllServers alone is all
	Tools     string   // "all"; "" and "core" are the small sets
	Scope     Scope
	Portable  bool // write program names instead of paths
	Force     bool // also replace and remove what was edited by hand
	Remove    bool
	NoServers bool // set up no server, in later runs neither; those that exist stay
	// Grades adds the habit of asking for a grade of each commit; nil keeps it where a file has it, and leaves it out of a new one.
	Grades *bool
	// Worktrees puts in the hooks and files that make or fill the worktrees of clients.
	Worktrees bool
	Through   []string // files and folders outside the project that links may lead to
	Fresh     bool     // treat every file as not existing
	Within    bool     // leave files outside the project alone
}

// Setup is one run.
type Setup struct {
	Dir     string // where the search for the project begins
	Home    string // the user's
	Suite   string // AGIT_HOME
	Getenv  func(string) string
	Options Options

	root     string
	roots    map[string]string
	programs map[string]string // of the suite, by name; "" when it is not installed
	onPath   map[string]bool
	records  *manifest
	chosen   []*recipe
	files    map[string]*file
	order    []*file
}

// prepare checks the options and finds the project.
func (s *Setup) prepare() error {
	s.Options.Clients = slices.Clone(s.Options.Clients)
	for i, name := range s.Options.Clients {
		s.Options.Clients[i] = NameOf(name)
		if recipeOf(name) == nil {
			return fault.Validation("client", "%q is not a known client", name).WithHint("the clients are %s", strings.Join(Names(), ", "))
		}
	}
	if err := s.Options.checkServers(); err != nil {
		return err
	}
	if t := s.Options.Tools; t != "" && t != "core" && t != "all" {
		return fault.Validation("tools", "--tools is core or all, not %q", t).WithHint("core is the small set an agent uses in its loop")
	}
	if s.Home == "" {
		return fault.Operation(nil, "the home folder is not known").WithHint("set HOME")
	}
	s.root = s.Dir
	if s.Options.Scope == User {
		s.root = s.Home
	} else if s.Dir == s.Home || real(s.Dir) == real(s.Home) {
		return fault.Validation("", "%q is the home folder, not a project", s.Dir).WithHint("change to a project, or give --global")
	}
	s.roots = roots(s.Dir, s.Home, s.Getenv)
	s.programs, s.onPath = map[string]string{}, map[string]bool{}
	s.files = map[string]*file{}
	for _, name := range Servers {
		path, err := sibling.Find(name)
		if _, server := sibling.Find(name + "-mcp"); err != nil || server != nil {
			continue
		}
		s.programs[name] = path
		s.onPath[name] = samePlace(lookPath(name, s.Getenv("PATH")), path)
	}
	return nil
}

// Look determines the state of all items and changes nothing.
func (s *Setup) Look(ctx context.Context) (Report, error) { return s.run(ctx, false) }

// Apply puts in what is missing or stale or, with Options.Remove, takes out what exists. A failed step is reported in its item and does not
// stop the others.
func (s *Setup) Apply(ctx context.Context) (Report, error) { return s.run(ctx, true) }

func (s *Setup) run(ctx context.Context, write bool) (r Report, err error) {
	if err := s.prepare(); err != nil {
		return r, err
	}
	unlock := func() {}
	if write {
		if unlock, err = lock(s.Suite); err != nil {
			return r, err
		}
	}
	defer unlock()
	if s.records, err = readManifest(s.Suite); err != nil {
		return r, err
	}
	r = Report{Scope: s.Options.Scope, Root: s.root, Clients: []Found{}}
	s.chosen = s.choose(&r)
	r.Items = s.items(s.chosen)
	users := s.users(s.chosen)
	for i := range r.Items {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		it := &r.Items[i]
		if others := users[it.key()]; len(others) > 0 {
			it.State, it.Done, it.Why = Current, Kept, "is read by "+strings.Join(others, ", ")+" too"
			continue
		}
		if s.Options.Within && s.outside(it.File) {
			s.leave(it)
			continue
		}
		s.one(it)
	}
	if s.Options.Remove {
		s.tidy()
	}
	return r, s.finish(&r, write)
}

// users returns the clients that stay set up when only some are taken out, by the items that they share with those.
func (s *Setup) users(chosen []*recipe) map[string][]string {
	if !s.Options.Remove || len(chosen) == len(recipes()) {
		return nil
	}
	of := map[string][]string{} // all clients, by the items that they have
	for _, r := range recipes() {
		for _, it := range s.items([]*recipe{r}) {
			of[it.key()] = append(of[it.key()], r.Name)
		}
	}
	users := map[string][]string{}
	for _, r := range recipes() {
		items := s.items([]*recipe{r})
		own := func(it Item) bool { return len(of[it.key()]) == 1 && s.wrote(&it) }
		if slices.Contains(chosen, r) || !s.registered(r) && !slices.ContainsFunc(items, own) {
			continue
		}
		for _, it := range items {
			users[it.key()] = append(users[it.key()], r.Name)
		}
	}
	return users
}

// wrote reports whether setup put in an item that still stands.
func (s *Setup) wrote(it *Item) bool {
	f := s.open(it.File)
	if f.err != nil || !f.exists || f.rec.entryOf(it.id()) == nil {
		return false
	}
	state, _ := it.part.look(s, f)
	return state == Current || state == Stale
}

// registered reports whether a client's file registers a server of the suite.
func (s *Setup) registered(r *recipe) bool {
	for _, name := range Servers {
		if path := s.firstOf(r.Servers.of(s.Options.Scope)); path != "" {
			f := s.open(path)
			if state, _ := (serverPart{r, name}).look(s, f); f.err == nil && state == Current {
				return true
			}
		}
	}
	return false
}

// choose returns the recipes of the named clients, else of those found; for taking out, of all.
func (s *Setup) choose(r *Report) (chosen []*recipe) {
	for _, one := range recipes() {
		how := s.detect(one)
		f := Found{Name: one.Name, Title: one.Title, How: how, Found: how != ""}
		named := slices.Contains(s.Options.Clients, one.Name)
		take := named || len(s.Options.Clients) == 0 && (f.Found || s.Options.Remove)
		if f.Found && take && !named && s.Options.Scope == Project && len(one.Servers.Project) == 0 {
			if f.Note = "its servers are configured for the user only: `agit setup --global " + one.Name + "`"; s.Options.Remove {
				f.Note = "servers that the user has stay: `agit setup --global --remove " + one.Name + "` takes them out"
			}
		}
		if take {
			chosen = append(chosen, one)
		}
		if f.Found || named {
			r.Clients = append(r.Clients, f)
		}
	}
	return chosen
}

// detect returns the path that shows that a client is on this machine, or "".
func (s *Setup) detect(c *recipe) string {
	for _, mark := range c.Marks {
		if path := s.path(mark); exists(path) {
			return path
		}
	}
	for _, program := range c.Programs {
		if path := lookPath(program, s.Getenv("PATH")); path != "" {
			return path
		}
	}
	return ""
}

// one looks at an item and makes its change in memory.
func (s *Setup) one(it *Item) {
	f := s.open(it.File)
	if s.Options.Fresh && f.err == nil {
		it.State, it.Done = Missing, Added
		if err := it.part.put(s, f, it.id()); err != nil {
			it.Done, it.Why = Failed, plain(err)
		}
		return
	}
	if f.err != nil {
		it.State, it.Done, it.Why = Broken, Failed, f.err.Error()
		if f.absent() && s.Options.Remove {
			it.State, it.Done, it.Why = Missing, "", ""
		}
		return
	}
	s.see(it, f)
	id := it.id()
	var err error
	switch {
	case s.Options.Remove:
		if it.State == Missing || !f.exists {
			it.State, it.Why = Missing, "" // even if it stands elsewhere
			return
		}
		var gone bool
		var why string
		if gone, why, err = it.part.take(s, f, id); err == nil {
			it.Done, it.Why = Kept, why
			if gone {
				it.Done = Removed
				f.forget(id)
			}
		}
	case it.State == Missing:
		if err = it.part.put(s, f, id); err == nil {
			it.Done = Added
		}
	case it.State == Stale:
		if !s.Options.Force && !it.part.ours(s, f, id) {
			it.Done = Kept
			return
		}
		if err = it.part.put(s, f, id); err == nil {
			it.Done = Updated
		}
	case it.State == Broken:
		it.Done = Failed
	}
	if err != nil {
		it.Done, it.Why = Failed, plain(err)
	}
}

// see sets the state of an item: by its file, or by the plugin that brings it.
func (s *Setup) see(it *Item, f *file) {
	it.State, it.Why = it.part.look(s, f)
	if it.State != Missing || s.Options.Remove {
		return
	}
	if why := s.byPlugin(it); why != "" {
		it.State, it.Why = Current, why
	}
}

// leave sets the state of an item whose file must not be changed.
func (s *Setup) leave(it *Item) {
	f := s.open(it.File)
	it.State = Broken
	if f.err == nil {
		s.see(it, f)
	}
	if it.State != Current && !s.Options.Remove || it.State != Missing && s.Options.Remove {
		it.Done, it.Why = Kept, "lies outside the project; --yes agrees to change it"
	}
}

// finish writes the files that changed, each on its own, and records the results. It returns an error that no item reports.
func (s *Setup) finish(r *Report, write bool) error {
	failed := map[string]string{}
	var unsaved error
	r.Chosen = s.keepChoices()
	if write {
		unsaved = s.records.save(s.Suite, s.order, r.Chosen)
	}
	for _, f := range s.order {
		if !f.changed() {
			continue
		}
		if f.err == nil {
			f.err = unsaved
		}
		if write && f.err == nil {
			f.err = f.write()
		}
		if f.err != nil {
			failed[f.place] = plain(f.err)
			continue
		}
		r.Files = append(r.Files, File{Path: f.path, Before: f.before, After: f.text, Gone: f.gone})
	}
	if write && unsaved == nil { // again, with the actual results; if this fails, the first save has all entries, and too many do no harm
		_ = s.records.save(s.Suite, s.order, false)
	}
	r.Current = true
	for i := range r.Items {
		it := &r.Items[i]
		if why, bad := failed[s.open(it.File).place]; bad && (it.Done == Added || it.Done == Updated || it.Done == Removed) {
			it.Done, it.Why = Failed, why
		}
		if it.Done == Failed || it.Done == Kept && it.State != Current || it.State != Current && !write {
			r.Current = false
		}
	}
	if len(failed) == 0 { // else the items report it
		return unsaved
	}
	return nil
}

// Outside names the files outside the project that would change: a few by name, more by number and folder. It returns "" when there are
// none.
func (s *Setup) Outside(r Report) string {
	const few = 3
	var paths, folders []string
	for _, f := range r.Files {
		if !s.outside(f.Path) {
			continue
		}
		path := short(f.Path, s.Home)
		paths = append(paths, path)
		top := path
		if parts := strings.Split(path, string(filepath.Separator)); parts[0] == "~" && len(parts) > 1 {
			top = filepath.Join(parts[0], parts[1])
		}
		if !slices.Contains(folders, top) {
			folders = append(folders, top)
		}
	}
	switch {
	case len(paths) == 0:
		return ""
	case len(paths) <= few:
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%d files in %s", len(paths), strings.Join(folders, ", "))
}

// Inside reports whether a file in the project would change.
func (s *Setup) Inside(r Report) bool {
	return slices.ContainsFunc(r.Files, func(f File) bool { return !s.outside(f.Path) })
}

// outside reports whether a file is the user's rather than the project's.
func (s *Setup) outside(path string) bool {
	rel, err := filepath.Rel(s.Dir, path)
	return s.Options.Scope == User || err != nil || !filepath.IsLocal(rel)
}

// plain returns an error's text, with the system's reason if there is one.
func plain(err error) string {
	message := fault.From(err).Message
	var why error
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		why = path.Err
	case errors.As(err, &link):
		why = link.Err
	}
	if why != nil && !strings.Contains(message, why.Error()) {
		message += ": " + why.Error()
	}
	return message
}

func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}

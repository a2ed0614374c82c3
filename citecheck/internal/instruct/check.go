package instruct

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// Options vary a check.
type Options struct {
	Choice
	// Explain lists what was passed over.
	Explain bool
	// MemoryFolders hold memories of clients about this repository, by client.
	MemoryFolders map[string]string
}

// Checker checks the instructions of one working tree.
type Checker struct {
	tree    *Tree
	past    *past
	targets *targets
	o       Options
	report  *Report
	texts   map[string]*Source // by path
}

// Check checks the instructions below root.
func Check(ctx context.Context, root string, o Options) (*Report, error) {
	t, err := OpenTree(ctx, root)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	c := &Checker{tree: t, past: newPast(t), o: o, report: &Report{Root: root, Sources: []Source{}, Findings: []Finding{}}}
	sources := c.sources()
	if err := c.check(ctx, sources); err != nil {
		return nil, err
	}
	for _, s := range sources {
		c.report.Sources = append(c.report.Sources, *s)
	}
	return c.report, nil
}

// check judges what the sources say.
func (c *Checker) check(ctx context.Context, sources []*Source) error {
	var spots []spot
	for _, s := range sources {
		for _, ref := range Parse(s.text, slices.Contains(s.Clients, "claude-code") || slices.Contains(s.Clients, "gemini")) {
			if ref.Kind == Place {
				continue
			}
			spots = append(spots, spot{s, ref})
		}
	}
	wanted := map[string]bool{}
	for _, s := range spots {
		if s.ref.Kind == Command {
			wanted[s.ref.Tool] = true
			wanted["npm"] = wanted["npm"] || isPackageManager(s.ref.Tool)
		}
	}
	c.targets = readTargets(c.tree, wanted)
	var lost []spot
	for _, s := range spots {
		s.src.References++
		c.report.References++
		switch s.ref.Kind {
		case Path, Import, Link:
			if why := c.look(s); why == lostPath {
				lost = append(lost, s)
			} else if why != "" {
				c.pass(s, why)
			} else {
				c.report.True++
			}
		case Command:
			if err := c.command(ctx, s); err != nil {
				return err
			}
		}
	}
	if err := c.lost(ctx, lost); err != nil {
		return err
	}
	slices.SortStableFunc(c.report.Findings, func(a, b Finding) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return a.Line - b.Line
	})
	return nil
}

// lostPath marks a path that was not found, and that nothing excuses yet.
const lostPath = "lost"

// look looks for what a path, a link or an import names: "" when it is there, else
// lostPath or why it is passed over.
func (c *Checker) look(s spot) string {
	t := s.ref.Target
	if s.ref.Kind == Import {
		if strings.HasPrefix(t, "~") || strings.HasPrefix(t, "/") {
			return whyElsewhere
		}
		if c.tree.Has(path.Join(path.Dir(s.src.Path), t)) {
			return ""
		}
		if !hasEnding(t) {
			return whyAddress
		}
		return lostPath
	}
	if s.ref.Kind == Link && t == "" || c.tree.find(s) {
		return ""
	}
	if why := c.tree.excuse(s); why != "" {
		return why
	}
	return lostPath
}

func (c *Checker) pass(s spot, why string) {
	c.report.PassedOver++
	if c.o.Explain {
		c.report.Passed = append(c.report.Passed, Passed{s.src.Path, s.ref.Line, s.ref.Kind, s.ref.Text, why})
	}
}

// tell adds a finding; the same statement of one source is told once.
func (c *Checker) tell(s spot, f Finding) {
	f.File, f.Line, f.Kind, f.Text = s.src.Path, s.ref.Line, s.ref.Kind, s.ref.Text
	s.src.Stale++
	for i := range c.report.Findings {
		if known := &c.report.Findings[i]; known.File == f.File && known.Verdict == f.Verdict && known.Kind == f.Kind && known.Message == f.Message {
			known.Times = max(known.Times, 1) + 1
			known.spots = append(known.spots, s)
			s.src.Stale--
			return
		}
	}
	f.spots = []spot{s}
	c.report.Findings = append(c.report.Findings, f)
}

// lost judges the paths that were not found, by what git knows of them.
func (c *Checker) lost(ctx context.Context, lost []spot) error {
	if len(lost) == 0 {
		return nil
	}
	var all []string
	for _, s := range lost {
		all = append(all, s.places()...)
	}
	ignored := c.tree.Ignored(ctx, all)
	if err := c.past.ask(ctx, all); err != nil {
		return err
	}
	for _, s := range lost {
		if slices.ContainsFunc(s.places(), func(p string) bool { return ignored[p] }) {
			c.pass(s, whyIgnored)
			continue
		}
		f, err := c.farewell(ctx, s)
		if err != nil {
			return err
		}
		switch {
		case f == nil:
			c.never(s)
		case s.said(true) != "":
			c.pass(s, s.said(true))
		default:
			if err := c.past.complete(ctx, f); err != nil {
				return err
			}
			c.gone(s, f)
		}
	}
	return nil
}

// farewell is the commit that removed what a path names, nil when git never had it:
// at the paths that it may mean, or at the end of another when its line was written.
func (c *Checker) farewell(ctx context.Context, s spot) (*farewell, error) {
	for _, p := range s.places() {
		if f := c.past.last[p]; f != nil {
			return f, nil
		}
	}
	then := c.past.then(ctx, c.past.written(ctx, s))
	if then == nil {
		return nil, nil
	}
	tails := then.Tails(path.Clean(strings.TrimSuffix(strings.TrimPrefix(s.ref.Target, "/"), "/")))
	if len(tails) == 0 {
		return nil, nil
	}
	if err := c.past.ask(ctx, tails); err != nil {
		return nil, err
	}
	for _, p := range tails {
		if f := c.past.last[p]; f != nil {
			return f, nil
		}
	}
	return nil, nil
}

// never judges a path that git never had.
func (c *Checker) never(s spot) {
	var why string
	switch s.ref.Kind {
	case Import:
	case Link:
		why = s.said(false)
	default:
		why = c.tree.absent(s)
	}
	if why != "" {
		c.pass(s, why)
		return
	}
	what := map[string]string{Import: "the import", Link: "the link's target"}[s.ref.Kind]
	message := fmt.Sprintf("%s does not exist, and git never had it", text.ShellWord(s.ref.Target))
	if what != "" {
		message = what + " " + message
	}
	c.tell(s, Finding{Verdict: Missing, Message: message})
}

// gone tells of a path that git had.
func (c *Checker) gone(s spot, f *farewell) {
	out := Finding{Verdict: Removed, Commit: short(f.commit), Date: f.date, Found: f.now}
	out.Message = fmt.Sprintf("%s was removed by %s on %s (%q)", f.path, out.Commit, f.date, text.Cut(f.subject, 60))
	if f.now != "" {
		out.Verdict = Renamed
		out.Message = fmt.Sprintf("%s is %s since %s on %s", f.path, f.now, out.Commit, f.date)
	}
	c.tell(s, out)
}

func short(oid string) string { return oid[:min(len(oid), 10)] }

func isPackageManager(tool string) bool {
	return tool == "npm" || tool == "pnpm" || tool == "yarn" || tool == "bun"
}

// sources lists the texts to check, each once.
func (c *Checker) sources() (list []*Source) {
	c.texts = map[string]*Source{}
	var named []Source
	for _, f := range c.tree.files {
		if s, ok := sourceOf(f, c.o.Choice); ok && c.o.wanted(f) {
			s.linked = c.tree.isLink(f)
			named = append(named, s)
		}
	}
	slices.SortFunc(named, func(a, b Source) int { // links after what they lead to
		if a.linked != b.linked {
			return map[bool]int{false: -1, true: 1}[a.linked]
		}
		return strings.Compare(a.Path, b.Path)
	})
	for _, s := range named {
		f := s.Path
		src, err := c.tree.Read(f)
		if err != nil {
			if !c.tree.onDisk(f) {
				continue
			}
			s.Problem = "it cannot be read: " + err.Error()
		}
		s.text = src
		if same := twin(list, &s); same != nil {
			same.Aliases = append(same.Aliases, f)
			for _, client := range s.Clients {
				if !slices.Contains(same.Clients, client) {
					same.Clients = append(slices.Clone(same.Clients), client)
				}
			}
			c.texts[f] = same
			continue
		}
		list, c.texts[f] = append(list, &s), &s
	}
	return list
}

// imports of one line are the same text in every folder, and mean other files.
const fewBytes = 400

// twin is the source of a list that has the same text, as links and copies have.
func twin(list []*Source, s *Source) *Source {
	for _, known := range list {
		if len(s.text) > 0 && bytes.Equal(known.text, s.text) && (path.Dir(known.Path) == path.Dir(s.Path) || len(s.text) > fewBytes) {
			return known
		}
	}
	return nil
}

package instruct

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

// Options vary a check.
type Options struct {
	Choice
	// Explain lists the references that were passed over.
	Explain bool
	// MemoryFolders hold memories of clients about this repository, by client.
	MemoryFolders map[string]string
	// IndexFile is the index of the commit being made, where git names another one than the repository's; see Since.
	IndexFile string
}

// Checker checks the instructions of one working tree.
type Checker struct {
	tree    *Tree
	past    *past
	targets *targets
	o       Options
	report  *Report
	texts   map[string]*Source // by path
	// imported are the files that others import.
	imported map[string]bool
}

// Check checks the instructions below root.
func Check(ctx context.Context, root string, o Options) (*Report, error) {
	t, err := OpenTree(ctx, root, o.IndexFile)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	c, err := run(ctx, t, root, o)
	if err != nil {
		return nil, err
	}
	return c.report, nil
}

// run checks the instructions of a tree.
func run(ctx context.Context, t *Tree, root string, o Options) (*Checker, error) {
	c := &Checker{tree: t, o: o, report: &Report{Root: root, Sources: []Source{}, Findings: []Finding{}}}
	c.past = &past{t: t, trees: map[string]*Tree{}, wrote: map[string]map[int]string{}, last: map[string]*farewell{}, names: map[string]map[string]string{}}
	sources := append(c.sources(), c.memories()...)
	if err := c.check(ctx, sources); err != nil {
		return nil, err
	}
	for _, s := range sources {
		c.report.Sources = append(c.report.Sources, *s)
	}
	return c, nil
}

// check judges the statements of the sources.
func (c *Checker) check(ctx context.Context, sources []*Source) error {
	var spots, places []spot
	for _, s := range sources {
		for _, ref := range Parse(s.text, s.importing()) {
			if ref.Kind == Place {
				if !slices.Contains(s.Clients, "serena") { // whose citations verify-all checks
					places = append(places, spot{s, ref})
				}
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
	var lost, names []spot
	for _, s := range spots {
		s.src.References++
		c.report.References++
		switch s.ref.Kind {
		case Path, Import, Link:
			switch why := c.look(s); {
			case why == lostPath:
				lost = append(lost, s)
			case why != "":
				c.pass(s, why)
			case s.ref.Kind == Link && !c.anchor(s):
				c.tell(s, Finding{Verdict: Missing, Message: fmt.Sprintf("%s has no heading for #%s", cmp.Or(s.ref.Target, "this file"), s.ref.Anchor)})
			default:
				c.holds(s)
			}
		case Command:
			c.command(s)
		case Symbol:
			names = append(names, s)
		}
	}
	if err := c.lost(ctx, lost); err != nil {
		return err
	}
	if err := c.symbols(ctx, names); err != nil {
		return err
	}
	if err := c.lines(ctx, places); err != nil {
		return err
	}
	c.hidden(sources)
	slices.SortStableFunc(c.report.Findings, func(a, b Finding) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	return nil
}

// lostPath marks a path that was not found and has no excuse yet.
const lostPath = "lost"

// look looks for the target of a path, a link or an import. It returns "" when the target exists, else lostPath or the reason to pass the
// reference over.
func (c *Checker) look(s spot) string {
	t := s.ref.Target
	if s.ref.Kind == Import {
		if strings.HasPrefix(t, "~") || strings.HasPrefix(t, "/") {
			return whyElsewhere
		}
		if s.beside() || c.tree.Has(path.Join(path.Dir(s.src.Path), t)) {
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

// holds counts a statement that is true.
func (c *Checker) holds(s spot) {
	s.src.True++
	c.report.True++
}

func (c *Checker) pass(s spot, why string) {
	c.report.PassedOver++
	if c.o.Explain {
		c.report.Passed = append(c.report.Passed, Passed{s.src.Path, s.ref.Line, s.ref.Kind, redact.Clean(s.ref.Text), why})
	}
}

// tell adds a finding. The same statement of one source is reported once, with a count.
func (c *Checker) tell(s spot, f Finding) {
	f.File, f.Line, f.Kind, f.Text = s.src.Path, s.ref.Line, s.ref.Kind, redact.Clean(s.ref.Text)
	f.Message = redact.Clean(f.Message)
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

// lost judges the paths that were not found, by their history in git.
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
	lost = slices.DeleteFunc(lost, func(s spot) bool {
		is := slices.ContainsFunc(s.places(), func(p string) bool { return ignored[p] })
		if is {
			c.pass(s, whyIgnored)
		}
		return is
	})
	if err := c.past.blame(ctx, slices.DeleteFunc(slices.Clone(lost), func(s spot) bool { return !c.dated(s) })); err != nil {
		return err
	}
	for _, s := range lost {
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

// dated reports whether a path is looked up in the tree of the commit that wrote its line, since it may leave folders out and can only be a
// file or a folder.
func (c *Checker) dated(s spot) bool {
	return s.ref.Kind == Path && s.ref.Tool == "" && (hasEnding(s.ref.Target) || strings.HasSuffix(s.ref.Text, "/")) &&
		c.past.lastOf(s.places()) == nil
}

// farewell returns the commit that removed the target of a path, nil when git never had it. It looks at the paths that the target may mean,
// then at longer paths that end in it and existed when its line was written.
func (c *Checker) farewell(ctx context.Context, s spot) (*farewell, error) {
	if f := c.past.lastOf(s.places()); f != nil || !c.dated(s) {
		return f, nil
	}
	then := c.past.then(ctx, c.past.written(s))
	if then == nil {
		return nil, ctx.Err()
	}
	tails := then.Tails(path.Clean(strings.TrimSuffix(strings.TrimPrefix(s.ref.Target, "/"), "/")))
	if len(tails) == 0 {
		return nil, nil
	}
	err := c.past.ask(ctx, tails)
	return c.past.lastOf(tails), err
}

// never judges a path that the history does not have. Without all of the history the path may have got another name, and is passed over. A
// link and an import are dead in any case where there is no history at all.
func (c *Checker) never(s spot) {
	var why string
	switch s.ref.Kind {
	case Import:
	case Link:
		if why = s.said(false); placeholder.Regexp().MatchString(s.ref.Target) {
			why = whyPlaceholder
		}
	default:
		why = c.tree.absent(s)
	}
	what := map[string]string{Import: "the import ", Link: "the link's target "}[s.ref.Kind]
	message := fmt.Sprintf("%s%s does not exist", what, text.ShellWord(s.ref.Target))
	switch unknown := c.past.unknown(); {
	case unknown == "":
		message += ", and git never had it"
	case unknown == whyShallow || what == "":
		why = cmp.Or(why, unknown)
	}
	if why != "" {
		c.pass(s, why)
		return
	}
	c.tell(s, Finding{Verdict: Missing, Message: message})
}

// gone reports a path that git once had.
func (c *Checker) gone(s spot, f *farewell) {
	out := Finding{Verdict: Removed, Commit: short(f.commit), Date: f.date, Found: f.now, from: f.path}
	since, by := fmt.Sprintf("since %s on %s", out.Commit, f.date), fmt.Sprintf("by %s on %s (%q)", out.Commit, f.date, text.Cut(f.subject, 60))
	if f.commit == "" {
		since, by = "in what is not committed yet", "in what is not committed yet"
	}
	out.Message = fmt.Sprintf("%s was removed %s", f.path, by)
	if f.now != "" {
		out.Verdict = Renamed
		out.Message = fmt.Sprintf("%s is %s %s", f.path, f.now, since)
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
	slices.SortFunc(named, func(a, b Source) int { // links after their targets
		switch {
		case a.linked == b.linked:
			return strings.Compare(a.Path, b.Path)
		case a.linked:
			return 1
		}
		return -1
	})
	for _, s := range named {
		f := s.Path
		src, err := c.tree.Read(f)
		if err != nil {
			if !c.tree.onDisk(f) {
				continue
			}
			s.Problem = unreadable(err)
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
	return c.withImports(list)
}

// maxHops is how far Claude Code follows imports of imports.
const maxHops = 4

// withImports adds the Markdown files that instructions import.
func (c *Checker) withImports(list []*Source) []*Source {
	c.imported = map[string]bool{}
	from := list
	for range maxHops {
		var next []*Source
		for _, s := range from {
			if !s.importing() {
				continue
			}
			for _, ref := range Parse(s.text, true) {
				file := path.Join(path.Dir(s.Path), ref.Target)
				if ref.Kind != Import || !filepath.IsLocal(filepath.FromSlash(ref.Target)) && !filepath.IsLocal(filepath.FromSlash(file)) {
					continue
				}
				c.imported[file] = true
				if known := c.texts[file]; known != nil || !strings.EqualFold(path.Ext(file), ".md") {
					continue
				}
				src, err := c.tree.Read(file)
				if err != nil {
					continue
				}
				in := &Source{Path: file, Kind: s.Kind, Clients: s.Clients, text: src}
				next, c.texts[file] = append(next, in), in
			}
		}
		list, from = append(list, next...), next
	}
	return list
}

// importing reports whether @path imports another file.
func (s *Source) importing() bool {
	return slices.Contains(s.Clients, "claude-code") || slices.Contains(s.Clients, "gemini")
}

// fewBytes is the size up to which equal texts in different folders are separate sources: one-line imports are the same text everywhere and
// mean other files.
const fewBytes = 400

// twin returns the source of a list that has the same text, as links and copies have.
func twin(list []*Source, s *Source) *Source {
	for _, known := range list {
		if len(s.text) > 0 && bytes.Equal(known.text, s.text) && (path.Dir(known.Path) == path.Dir(s.Path) || len(s.text) > fewBytes) {
			return known
		}
	}
	return nil
}

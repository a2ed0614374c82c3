package instruct

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// hidden reports the AGENTS.md files that Claude Code does not read. Since 2.1.277 it reads one only when neither its folder nor a folder
// above has a CLAUDE.md or CLAUDE.local.md. It finds one that a CLAUDE.md imports, names or links to.
func (c *Checker) hidden(sources []*Source) {
	for _, s := range sources {
		if path.Base(s.Path) != "AGENTS.md" || s.outside || slices.ContainsFunc(s.Aliases, func(file string) bool { return path.Base(file) == "CLAUDE.md" }) || c.imported[s.Path] {
			continue
		}
		by, named := "", false
		for dir := path.Dir(s.Path); ; dir = path.Dir(dir) {
			for _, name := range []string{"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"} {
				if over := path.Join(dir, name); c.tree.Has(over) {
					by = cmp.Or(by, over)
					if known := c.texts[over]; known != nil && strings.Contains(string(known.text), "AGENTS.md") || known == s {
						named = true
					}
				}
			}
			if dir == "." {
				break
			}
		}
		if by == "" || named {
			continue
		}
		rel := "AGENTS.md"
		if path.Dir(by) != path.Dir(s.Path) {
			rel = relative(path.Dir(by), s.Path)
		}
		c.tell(spot{s, Reference{Kind: File, Text: path.Base(s.Path)}}, Finding{
			Verdict: Hidden, Message: fmt.Sprintf("Claude Code reads %s and passes this file over; `@%s` in it takes it in", by, rel),
		})
	}
}

// relative is the path to a file from a folder, both from the root.
func relative(from, to string) string {
	up := ""
	for from != "." && !strings.HasPrefix(to, from+"/") {
		from, up = path.Dir(from), up+"../"
	}
	if from == "." {
		return up + to
	}
	return up + strings.TrimPrefix(to, from+"/")
}

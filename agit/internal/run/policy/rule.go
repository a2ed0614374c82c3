package policy

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Rule is one entry of work.allow, work.ask or work.deny: KIND(PATTERN).
type Rule struct {
	Kind    Kind
	Pattern string
}

func (r Rule) String() string { return string(r.Kind) + "(" + r.Pattern + ")" }

var kinds = []Kind{Shell, Read, Edit, Fetch, MCP, Tool}

// ParseRule reads a rule such as shell(make *), edit(worktree), read(*), fetch(*.example.com), mcp(agit) or tool(WebSearch).
func ParseRule(text string) (Rule, error) {
	kind, rest, found := strings.Cut(strings.TrimSpace(text), "(")
	pattern, closed := strings.CutSuffix(rest, ")")
	pattern = strings.TrimSpace(pattern)
	if !found || !closed || pattern == "" || !slices.Contains(kinds, Kind(kind)) {
		return Rule{}, fault.Validation("rule", "%q is not a rule", text).WithHint("write shell(make *), edit(worktree), read(*), fetch(*), mcp(agit) or tool(NAME)")
	}
	return Rule{Kind(kind), pattern}, nil
}

func mustRules(list []string) (rules []Rule) {
	for _, text := range list {
		r, err := ParseRule(text)
		if err == nil {
			rules = append(rules, r)
		}
	}
	return rules
}

func (p *Policy) matches(r Rule, c Call) bool {
	if r.Kind != c.Kind {
		return false
	}
	switch c.Kind {
	case Shell:
		return r.matchesWords(strings.Fields(c.Command))
	case Read, Edit:
		return p.matchesPath(r, c)
	case Fetch:
		return r.Pattern == "*" || glob(r.Pattern, host(c.URL))
	case MCP:
		return glob(r.Pattern, c.Server) || glob(r.Pattern, c.Server+"/"+c.Tool)
	}
	return glob(r.Pattern, c.Tool)
}

// matchesWords compares a pattern with a command, word by word. A last * stands for any further words.
func (r Rule) matchesWords(words []string) bool {
	pattern := strings.Fields(r.Pattern)
	for i, want := range pattern {
		if want == "*" && i == len(pattern)-1 {
			return len(words) >= i
		}
		if i >= len(words) || want != words[i] && !glob(want, words[i]) {
			return false
		}
	}
	return len(words) == len(pattern) || r.Pattern == strings.Join(words, " ")
}

// matchesPath compares a path with a pattern. "worktree" is everything in the worktree, "outside" everything else, "secrets" the
// folders of keys. Other patterns are absolute, or relative to the worktree.
func (p *Policy) matchesPath(r Rule, c Call) bool {
	if len(c.Paths) == 0 {
		return r.Pattern == "*"
	}
	file := c.Paths[0]
	switch r.Pattern {
	case "*":
		return true
	case "worktree":
		return p.inside(file)
	case "outside":
		return !p.inside(file) && !isOpen(file)
	case "secrets":
		return p.secret(file)
	}
	within, rel := p.locate(file)
	file = filepath.ToSlash(p.absolute(file))
	for _, folder := range []string{strings.TrimSuffix(r.Pattern, "/*"), strings.TrimSuffix(r.Pattern, "/**")} {
		if folder != r.Pattern && (strings.HasPrefix(file, folder+"/") || within && strings.HasPrefix(filepath.ToSlash(rel), folder+"/")) {
			return true
		}
	}
	return glob(r.Pattern, file) || within && glob(r.Pattern, filepath.ToSlash(rel))
}

// isOpen reports whether only a shell can resolve a path, because it contains a variable other than HOME.
func isOpen(file string) bool {
	for _, home := range []string{"$HOME/", "${HOME}/"} {
		file = strings.TrimPrefix(file, home)
	}
	return strings.ContainsAny(file, "$`") && !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "~") && !strings.HasPrefix(file, "..")
}

// secret reports whether a path leads to the user's keys.
func (p *Policy) secret(file string) bool {
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(p.Home, rest)
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.Worktree, file)
	}
	rel, err := filepath.Rel(resolve(p.Home), resolve(file))
	if err != nil || p.Home == "" {
		return false
	}
	rel = filepath.ToSlash(rel) + "/"
	return slices.ContainsFunc(secretFolders, func(folder string) bool { return strings.HasPrefix(rel, folder+"/") })
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func glob(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok || pattern == name || pattern == "*"
}

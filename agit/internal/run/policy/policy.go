// Package policy decides what an agent's client may do while no person watches. It compares tool calls with rules; the user's rules
// come before the built-in ones. It only reads the file system, to resolve paths. A call that no rule decides is Ask, and the caller
// finds a person to answer.
//
// A policy binds clients that ask; it does not restrict a program once it runs: docs/trust.md. policy.go decides, rule.go parses rules,
// shell.go splits command lines, defaults.go has the built-in rules.
package policy

import (
	"path/filepath"
	"slices"
	"strings"
)

// Call is a tool call of an agent.
type Call struct {
	Kind    Kind
	Command string   // for Shell: the whole command line
	Paths   []string // for Read and Edit; relative paths start at the worktree
	URL     string   // for Fetch
	Server  string   // for MCP
	Tool    string
}

// Kind is the kind of a call.
type Kind string

// The kinds, by their names in rules.
const (
	Shell Kind = "shell"
	Read  Kind = "read"
	Edit  Kind = "edit"
	Fetch Kind = "fetch"
	MCP   Kind = "mcp"
	Tool  Kind = "tool" // anything else
)

// Answer is the decision of the rules on a call.
type Answer string

// The answers.
const (
	Allow Answer = "allow"
	Ask   Answer = "ask"
	Deny  Answer = "deny"
)

// Verdict is an answer and the rule that decided it; By is "" when no rule did.
type Verdict struct {
	Answer Answer
	By     string
}

// Policy holds the rules of one agent in one worktree. The user's deny rules come first, then the user's allow rules, the user's ask
// rules, and the built-in rules. A Policy is safe for concurrent use.
type Policy struct {
	Worktree string // its path
	Home     string // the user's home folder, whose keys must not be read
	user     [3][]Rule
	own      [3][]Rule
}

// New returns the policy of a worktree from the user's rules. gate are the commands of its gate, which may run. An invalid rule is a
// ValidationError.
func New(worktree, home string, allow, ask, deny, gate []string) (*Policy, error) {
	p := &Policy{Worktree: worktree, Home: home}
	for i, list := range [][]string{deny, allow, ask} {
		for _, text := range list {
			r, err := ParseRule(text)
			if err != nil {
				return nil, err
			}
			p.user[i] = append(p.user[i], r)
		}
	}
	p.own[0], p.own[1] = mustRules(denied), mustRules(allowed)
	for _, command := range gate {
		p.own[1] = append(p.own[1], gateRules(command)...)
	}
	return p, nil
}

// order is the order in which the lists of rules are tried.
var order = [3]Answer{Deny, Allow, Ask}

// Decide returns the decision of the rules on a call. A command line is allowed when each of its commands is, and denied when one is.
func (p *Policy) Decide(c Call) Verdict {
	switch c.Kind {
	case Shell:
		return p.shell(c.Command)
	case Read, Edit:
		if len(c.Paths) == 0 {
			return p.one(c)
		}
		var all Verdict
		for _, path := range c.Paths {
			one := c
			one.Paths = []string{path}
			v := p.one(one)
			if c.Kind == Read && v.By == "read(*)" && p.secret(path) {
				v = Verdict{Answer: Ask}
			}
			all = stricter(all, v)
		}
		return all
	}
	return p.one(c)
}

// first returns the verdict of the first rule that fits, by the order of the answers.
func first(rules [3][]Rule, fits func(Rule) bool) (v Verdict, found bool) {
	for i, answer := range order {
		if at := slices.IndexFunc(rules[i], fits); at >= 0 {
			return Verdict{answer, rules[i][at].String()}, true
		}
	}
	return v, false
}

// one decides a call that is not split further.
func (p *Policy) one(c Call) Verdict {
	for _, rules := range [][3][]Rule{p.user, p.own} {
		if v, found := first(rules, func(r Rule) bool { return p.matches(r, c) }); found {
			return v
		}
	}
	return Verdict{Answer: Ask}
}

func (p *Policy) shell(line string) Verdict {
	whole := strings.TrimSpace(line)
	exactly := func(r Rule) bool { return r.Kind == Shell && (r.Pattern == whole || r.Pattern == "*") } // even a line that cannot be split
	if v, found := first(p.user, exactly); found {
		return v
	}
	commands, plain := split(line)
	all := Verdict{}
	for _, words := range commands {
		all = stricter(all, p.command(words))
	}
	if !plain && all.Answer != Deny || len(commands) == 0 {
		return Verdict{Answer: Ask}
	}
	return all
}

// command decides one command of a line.
func (p *Policy) command(c command) Verdict {
	call := Call{Kind: Shell, Command: strings.Join(c.words, " ")}
	v := p.words(c.words, call)
	for _, path := range c.writes {
		if path != "/dev/null" && path != "/dev/stderr" && path != "/dev/stdout" {
			v = stricter(v, p.one(Call{Kind: Edit, Paths: []string{path}}))
		}
	}
	for _, path := range c.reads {
		v = stricter(v, p.Decide(Call{Kind: Read, Paths: []string{path}}))
	}
	return v
}

func (p *Policy) words(words []string, call Call) Verdict {
	if len(words) == 0 {
		return Verdict{Answer: Allow}
	}
	if v, found := first(p.user, func(r Rule) bool { return r.Kind == Shell && r.matchesWords(words) }); found {
		return v
	}
	if v, known := p.ownCommand(words); known {
		return v
	}
	return p.one(call)
}

// stricter returns the answer that allows less.
func stricter(a, b Verdict) Verdict {
	if a.Answer == "" || slices.Index(strictness, b.Answer) < slices.Index(strictness, a.Answer) {
		return b
	}
	return a
}

var strictness = []Answer{Deny, Ask, Allow}

// inside reports whether a path, with links resolved, lies in the worktree and outside of its git folder.
func (p *Policy) inside(path string) bool {
	real, rel := p.locate(path)
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return real && first != ".git"
}

// locate returns a path relative to the worktree, and whether it lies in the worktree.
func (p *Policy) locate(path string) (within bool, rel string) {
	if strings.HasPrefix(path, "~") || strings.ContainsAny(path, "$`") {
		return false, path
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Worktree, path)
	}
	rel, err := filepath.Rel(resolve(p.Worktree), resolve(path))
	if err != nil || !filepath.IsLocal(rel) {
		return false, path
	}
	return true, rel
}

// absolute returns an absolute path with links resolved.
func (p *Policy) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Worktree, path)
	}
	return resolve(path)
}

// resolve resolves the links in the existing part of a path.
func resolve(path string) string {
	path = filepath.Clean(path)
	for rest := ""; ; {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(path)
		if parent == path {
			return filepath.Join(path, rest)
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
}

// RulesFor returns the narrowest rules that would allow a call: the commands of a line that are not allowed yet, word by word, or the
// whole line when only a shell can interpret it, and when one of its commands runs what it reads. It returns none for such a command alone:
// the rule would allow whatever is piped into it.
func (p *Policy) RulesFor(c Call) (rules []string) {
	switch c.Kind {
	case Shell:
		commands, plain := split(c.Command)
		if i := slices.IndexFunc(commands, command.runsInput); i >= 0 && len(commands) == 1 && strings.Join(commands[i].words, " ") == strings.TrimSpace(c.Command) {
			return nil
		} else if i >= 0 {
			plain = false
		}
		for _, one := range commands {
			if line := strings.Join(one.words, " "); plain && p.command(one).Answer != Allow && strings.Join(strings.Fields(line), " ") == line && !strings.ContainsAny(line, "*?[") {
				rules = append(rules, Rule{Shell, line}.String())
			}
		}
		if q, err := New(p.Worktree, p.Home, rules, nil, nil, nil); err != nil || q.addOwn(p).Decide(c).Answer != Allow {
			rules = []string{Rule{Shell, strings.TrimSpace(c.Command)}.String()}
		}
	case Read, Edit:
		for _, path := range c.Paths {
			if p.Decide(Call{Kind: c.Kind, Paths: []string{path}}).Answer != Allow {
				rules = append(rules, Rule{c.Kind, filepath.ToSlash(p.absolute(path))}.String())
			}
		}
	case Fetch:
		rules = append(rules, Rule{Fetch, host(c.URL)}.String())
	case MCP:
		rules = append(rules, Rule{MCP, c.Server + "/" + c.Tool}.String())
	default:
		rules = append(rules, Rule{Tool, c.Tool}.String())
	}
	return rules
}

// addOwn adds the built-in rules of another policy to p's, and the user's rules after p's user rules.
func (p *Policy) addOwn(other *Policy) *Policy {
	p.own = other.own
	for i := range p.user {
		p.user[i] = slices.Concat(p.user[i], other.user[i])
	}
	return p
}

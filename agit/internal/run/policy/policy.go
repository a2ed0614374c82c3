// Package policy decides what an agent's client may do while no person looks: its calls of tools against rules, which are the
// user's before the suite's own. It reads the file system alone, to see where a path leads. It asks no one: a call that no rule
// decides is Ask, and who runs the agent finds a person.
//
// A policy holds clients that ask. What a program does that was allowed to run is its own affair: docs/trust.md.
//
// policy.go decides, rule.go reads rules, shell.go splits command lines, defaults.go has the suite's own rules.
package policy

import (
	"path/filepath"
	"slices"
	"strings"
)

// Call is a tool that an agent wants to call.
type Call struct {
	Kind    Kind
	Command string   // of Shell, whole
	Paths   []string // of Read and Edit; relative ones start at the worktree
	URL     string   // of Fetch
	Server  string   // of MCP
	Tool    string
}

// Kind is what sort of call it is.
type Kind string

// The kinds, as rules name them.
const (
	Shell Kind = "shell"
	Read  Kind = "read"
	Edit  Kind = "edit"
	Fetch Kind = "fetch"
	MCP   Kind = "mcp"
	Tool  Kind = "tool" // anything else
)

// Answer is what the rules say of a call.
type Answer string

// The answers.
const (
	Allow Answer = "allow"
	Ask   Answer = "ask"
	Deny  Answer = "deny"
)

// Verdict is an answer and the rule that decided it; By is "" where none did.
type Verdict struct {
	Answer Answer
	By     string
}

// Policy is the rules of one agent in one worktree. The user's deny goes before the user's allow, and that before the user's ask; the
// suite's own rules come last. A Policy is safe for concurrent use.
type Policy struct {
	Worktree string // its folder
	Home     string // of the user, whose keys are not read
	user     [3][]Rule
	own      [3][]Rule
}

// New returns the policy of a worktree from the user's rules. gate are the commands of its gate, which may be run. An invalid rule is a
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

// order is how the lists of rules answer.
var order = [3]Answer{Deny, Allow, Ask}

// Decide returns what the rules say of a call. A command line is allowed when each of its commands is, and denied when one is.
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

// one decides a call that cannot be split.
func (p *Policy) one(c Call) Verdict {
	for _, rules := range [][3][]Rule{p.user, p.own} {
		for i, answer := range order {
			for _, r := range rules[i] {
				if p.matches(r, c) {
					return Verdict{answer, r.String()}
				}
			}
		}
	}
	return Verdict{Answer: Ask}
}

func (p *Policy) shell(line string) Verdict {
	whole := Call{Kind: Shell, Command: strings.TrimSpace(line)}
	for i, answer := range order { // a rule that has the very line, however it is built
		for _, r := range p.user[i] {
			if r.Kind == Shell && (r.Pattern == whole.Command || r.Pattern == "*") {
				return Verdict{answer, r.String()}
			}
		}
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
	for i, answer := range order {
		for _, r := range p.user[i] {
			if r.Kind == Shell && r.matchesWords(words) {
				return Verdict{answer, r.String()}
			}
		}
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

// inside reports whether a path lies in the worktree, wherever links lead, and outside of git's own folder there.
func (p *Policy) inside(path string) bool {
	real, rel := p.locate(path)
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return real && first != ".git"
}

// locate returns a path relative to the worktree, and whether it lies within.
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

// absolute returns where a path leads.
func (p *Policy) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Worktree, path)
	}
	return resolve(path)
}

// resolve follows the links of the part of a path that exists.
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

// RulesFor returns the narrowest rules that allow a call which nothing allows yet: the commands of a line that are not allowed, word
// by word, or the whole line where only a shell can tell what it does.
func (p *Policy) RulesFor(c Call) (rules []string) {
	switch c.Kind {
	case Shell:
		commands, plain := split(c.Command)
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

// addOwn adds the suite's rules of another policy, and the user's after its own.
func (p *Policy) addOwn(other *Policy) *Policy {
	p.own = other.own
	for i := range p.user {
		p.user[i] = slices.Concat(p.user[i], other.user[i])
	}
	return p
}

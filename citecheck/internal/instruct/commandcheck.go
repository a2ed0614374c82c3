package instruct

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// fileOfTool is the name for a tool's files in messages.
func fileOfTool(family string) string {
	return map[string]string{"make": "Makefile", "just": "justfile", "task": "Taskfile", "npm": "package.json", "deno": "deno.json", "cargo": "Cargo.toml"}[family]
}

// command judges the target of a command.
func (c *Checker) command(_ context.Context, s spot) error {
	tool, name := s.ref.Tool, s.ref.Target
	family := tool
	if isPackageManager(tool) {
		family = "npm"
	}
	ts := c.targets
	switch {
	case ts.have[family] == nil:
		c.pass(s, fmt.Sprintf("there is no %s to look in", fileOfTool(family)))
		return nil
	case s.ref.Base == "…":
		c.pass(s, whyElsewhere)
		return nil
	case tool == "cargo" && c.crate(s), tool != "cargo" && ts.has(family, name):
		c.holds(s)
		return nil
	case tool == "make" && (c.tree.find(s) || strings.Contains(name, ".")):
		c.pass(s, "it may be the name of a file to make")
		return nil
	case ts.open[family] != "":
		c.pass(s, ts.open[family])
		return nil
	case placeholder.Regexp().MatchString(name), wildcard.Regexp().MatchString(name):
		c.pass(s, whyPlaceholder)
		return nil
	case family == "npm" && s.ref.Anchor != "run" && (tool != "npm" || name == "start" || name == "stop" || name == "restart" || name == "t"),
		family == "npm" && ts.deps[name] && tool != "npm":
		c.pass(s, "it may be a command of the package manager or of a package")
		return nil
	}
	if why := s.said(false); why == whyDenied || why == whyExample {
		c.pass(s, why)
		return nil
	}
	c.tell(s, Finding{Verdict: Missing, Message: c.missing(family, s), family: family})
	return nil
}

// missing returns the message for a target that a tool does not have, with the nearest name.
func (c *Checker) missing(family string, s spot) string {
	if family == "cargo" {
		return fmt.Sprintf("no Cargo.toml has %s %s", s.ref.Anchor, s.ref.Target)
	}
	kind := map[string]string{"make": "target", "just": "recipe", "task": "task", "npm": "script", "deno": "task"}[family]
	message := fmt.Sprintf("no %s has a %s %q", fileOfTool(family), kind, s.ref.Target)
	if near := text.Nearest(s.ref.Target, c.targets.names(family)); near != "" {
		message += fmt.Sprintf("; the nearest is %q", near)
	}
	return message
}

// crate reports whether cargo knows a name, by a manifest or by a file.
func (c *Checker) crate(s spot) bool {
	kind, name := s.ref.Anchor, s.ref.Target
	if kind == "-p" {
		kind = "--package"
	}
	if name, _, _ = strings.Cut(name, "@"); c.targets.crates[kind][name] {
		return true
	}
	for _, folder := range map[string][]string{"--package": nil, "--bin": {"src/bin"}, "--example": {"examples"}, "--test": {"tests"}, "--bench": {"benches"}}[kind] {
		if len(c.tree.Tails(path.Join(folder, name+".rs")))+len(c.tree.Tails(path.Join(folder, name, "main.rs"))) > 0 {
			return true
		}
	}
	if kind == "--bin" && c.targets.crates["--package"][name] {
		return true
	}
	lock, err := c.tree.Read("Cargo.lock")
	return kind == "--package" && err == nil && strings.Contains(string(lock), "name = \""+name+"\"")
}

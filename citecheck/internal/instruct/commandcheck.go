package instruct

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// fileOfTool is the name for a tool's files in messages.
func fileOfTool(family string) string {
	return map[string]string{"make": "Makefile", "just": "justfile", "task": "Taskfile", "npm": "package.json", "deno": "deno.json", "cargo": "Cargo.toml"}[family]
}

// command judges the target of a command.
func (c *Checker) command(s spot) {
	tool, name := s.ref.Tool, s.ref.Target
	family := tool
	if isPackageManager(tool) {
		family = "npm"
	}
	ts, why := c.targets, ""
	switch {
	case ts.have[family] == nil:
		why = fmt.Sprintf("there is no %s to look in", fileOfTool(family))
	case s.ref.Base == "…":
		why = whyElsewhere
	case tool == "cargo" && c.crate(s), tool != "cargo" && ts.has(family, name):
		c.holds(s)
		return
	case tool == "make" && (c.tree.find(s) || strings.Contains(name, ".")):
		why = "it may be the name of a file to make"
	case ts.open[family] != "":
		why = ts.open[family]
	case placeholder.Regexp().MatchString(name), wildcard.Regexp().MatchString(name):
		why = whyPlaceholder
	case family == "npm" && s.ref.Anchor != "run" && (tool != "npm" || name == "start" || name == "stop" || name == "restart" || name == "t"),
		family == "npm" && ts.deps[name] && tool != "npm":
		why = "it may be a command of the package manager or of a package"
	default:
		if said := s.said(false); said == whyDenied || said == whyExample {
			why = said
		}
	}
	if why != "" {
		c.pass(s, why)
		return
	}
	c.tell(s, Finding{Verdict: Missing, Message: c.missing(family, s), family: family})
}

// missing returns the message for a target that a tool does not have, with the nearest name.
func (c *Checker) missing(family string, s spot) string {
	if family == "cargo" {
		return fmt.Sprintf("no Cargo.toml has %s %s", s.ref.Anchor, s.ref.Target)
	}
	kind := map[string]string{"make": "target", "just": "recipe", "task": "task", "npm": "script", "deno": "task"}[family]
	message := fmt.Sprintf("no %s has a %s %q", fileOfTool(family), kind, s.ref.Target)
	if near := text.Nearest(s.ref.Target, slices.Sorted(maps.Keys(c.targets.have[family]))); near != "" {
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

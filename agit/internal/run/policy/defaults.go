package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// secretFolders are the folders of a home folder that hold keys.
var secretFolders = []string{".ssh", ".aws", ".gnupg", ".config/gh", ".config/gcloud", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".agit"}

// The suite's built-in rules.
var (
	allowed = []string{
		"read(*)", "edit(worktree)", "mcp(agit)", "mcp(memoryd)", "mcp(citecheck)", "mcp(classify)", "mcp(pmsync)", "tool(think)", "tool(switch_mode)", "tool(plan)",
		"shell(agit finish *)", "shell(agit tasks)", "shell(agit tasks show *)", "shell(agit status *)", "shell(agit diff *)", "shell(agit logs *)", "shell(agit conflicts *)",
		"shell(citecheck verify *)", "shell(citecheck verify-all *)", "shell(memoryd recall *)", "shell(memoryd remember *)",
	}
	denied = []string{"edit(outside)", "shell(agit answer *)", "shell(agit config *)"}
)

// gateRules allow the commands of a gate, and its programs with other arguments. A shell or an interpreter is allowed with the gate's
// arguments only, because with others it can run anything.
func gateRules(line string) (rules []Rule) {
	commands, _ := split(line)
	for _, c := range commands {
		if len(c.words) == 0 {
			continue
		}
		pattern := strings.Join(c.words, " ")
		if name := filepath.Base(c.words[0]); !interpreters[name] && name != "git" && name != "agit" {
			pattern = c.words[0] + " *"
		}
		rules = append(rules, Rule{Shell, pattern})
	}
	return rules
}

var interpreters = set("sh", "bash", "zsh", "dash", "ksh", "fish", "env", "python", "python3", "node", "ruby", "perl", "php", "deno", "bun", "sudo", "su", "doas", "xargs",
	"ssh", "docker", "podman", "timeout", "nice", "nohup", "setsid", "find", "rm", "curl", "wget", "awk", "sed")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// Commands that read, and commands that change the files in their arguments. Both only with arguments that do nothing more.
var (
	readers = set("ls", "cat", "head", "tail", "wc", "grep", "egrep", "fgrep", "rg", "pwd", "echo", "printf", "true", "false", "test", "[", "sort", "uniq", "cut", "tr", "diff", "cmp",
		"stat", "file", "which", "whoami", "date", "basename", "dirname", "realpath", "readlink", "tree", "du", "nl", "jq", "column", "comm", "sleep", "sha256sum", "md5sum")
	changers = set("mkdir", "touch", "rm", "rmdir", "cp", "mv", "chmod", "ln")
	printing = text.Pattern{Expr: `^[0-9$]+(,[0-9$]+)?p$`} // sed scripts that only print
)

// Options with which a reading command writes or runs other programs.
var (
	writing = map[string][]string{
		"sort": {"-o", "--output", "--compress-program"}, "rg": {"--pre", "--hostname-bin"}, "tree": {"-o"}, "diff": {"--to-file"}, "date": {"-s", "--set"},
		"uniq": nil, "file": {"-C", "--compile"},
	}
	findActs = set("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls")
)

// ownCommand decides commands that the suite knows; known is false for others.
func (p *Policy) ownCommand(words []string) (v Verdict, known bool) {
	name, args := words[0], words[1:]
	switch {
	case name == "git":
		return p.git(args), true
	case name == "cd":
		if len(args) == 1 && p.inside(args[0]) {
			return Verdict{Allow, "shell(cd worktree)"}, true
		}
		return Verdict{Answer: Ask}, true // the commands after it would be judged by the wrong folder
	case name == "find":
		if slices.ContainsFunc(args, func(a string) bool { return findActs[a] }) {
			return Verdict{Answer: Ask}, true
		}
		return p.reads(name, args), true
	case name == "sed":
		if len(args) >= 2 && args[0] == "-n" && printing.Regexp().MatchString(args[1]) {
			return p.reads(name, args[2:]), true
		}
		return Verdict{Answer: Ask}, true
	case readers[name]:
		for _, a := range args {
			for _, option := range writing[name] {
				if a == option || strings.HasPrefix(a, option+"=") || len(option) == 2 && strings.HasPrefix(a, option) {
					return Verdict{Answer: Ask}, true
				}
			}
		}
		if name == "uniq" && len(operands(args)) > 1 { // the second file is written
			return Verdict{Answer: Ask}, true
		}
		return p.reads(name, args), true
	case changers[name]:
		return p.changes(name, args), true
	}
	return v, false
}

func operands(args []string) (list []string) {
	for i, a := range args {
		if a == "--" {
			return append(list, args[i+1:]...)
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			list = append(list, a)
		}
	}
	return list
}

// reads allows a reading command unless it may read the user's keys or its file pattern reaches beyond the worktree.
func (p *Policy) reads(name string, args []string) Verdict {
	v := Verdict{Allow, "shell(" + name + " *)"}
	for _, a := range args {
		_, value, _ := strings.Cut(a, "=")
		for _, path := range []string{a, value} {
			beyond := strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") || strings.Contains(path, "..")
			if beyond && strings.ContainsAny(path, "*?[") && !p.inside(path) {
				v = stricter(v, Verdict{Answer: Ask})
			} else if path != "" && p.secret(path) {
				v = stricter(v, p.Decide(Call{Kind: Read, Paths: []string{path}}))
			}
		}
	}
	return v
}

// changes decides a command by the files in its arguments.
func (p *Policy) changes(name string, args []string) Verdict {
	v := Verdict{Allow, "shell(" + name + " worktree)"}
	list := operands(args) // the mode of chmod counts as a file of the worktree
	for _, a := range args {
		if name != "cp" && name != "mv" && name != "ln" {
			break
		}
		option, value, found := strings.Cut(a, "=")
		switch long := strings.HasPrefix(option, "--t"); { // --target-directory, which may be shortened
		case long && found:
			list = append(list, value)
		case long, strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "t"): // also among others, as -rt
			return Verdict{Answer: Ask}
		}
	}
	if name == "ln" { // a link's target can be written through it
		return p.all(v, list)
	}
	if name == "cp" && len(list) > 1 {
		v = stricter(v, p.reads(name, list[:len(list)-1]))
		list = list[len(list)-1:]
	}
	return p.all(v, list)
}

func (p *Policy) all(v Verdict, paths []string) Verdict {
	for _, path := range paths {
		if within, rel := p.locate(path); within && rel == "." { // the worktree itself
			v = stricter(v, Verdict{Answer: Ask})
			continue
		}
		v = stricter(v, p.one(Call{Kind: Edit, Paths: []string{path}}))
	}
	return v
}

// Git commands: those that reach beyond the worktree are denied, and those that may lose or move others' work are asked.
var (
	gitDenied = set("push", "config", "remote", "worktree", "update-ref", "symbolic-ref", "send-pack", "hook", "daemon", "credential", "replace", "filter-branch", "fast-import")
	gitAsked  = set("clean", "gc", "prune", "reflog", "submodule", "fetch", "pull", "clone", "init", "bisect", "bundle", "maintenance", "archive", "difftool", "mergetool", "am", "format-patch", "send-email", "svn", "p4", "subtree", "lfs")
)

func (p *Policy) git(args []string) Verdict {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs":
			args = args[1:]
		case "-C":
			if len(args) < 2 {
				return Verdict{Answer: Ask}
			}
			if !p.inside(args[1]) {
				return Verdict{Deny, "shell(git -C outside)"}
			}
			args = args[2:]
		case "-c", "--git-dir", "--work-tree", "--exec-path", "--config-env":
			return Verdict{Deny, "shell(git " + args[0] + " *)"}
		case "--version", "--help":
			return Verdict{Allow, "shell(git *)"}
		default:
			return Verdict{Answer: Ask}
		}
	}
	if len(args) == 0 {
		return Verdict{Allow, "shell(git *)"}
	}
	sub := args[0]
	switch {
	case gitDenied[sub] && !(sub == "worktree" && len(args) > 1 && args[1] == "list") && !(sub == "remote" && (len(args) == 1 || len(args) == 2 && args[1] == "-v")):
		return Verdict{Deny, "shell(git " + sub + " *)"}
	case strings.HasPrefix(sub, "$"), gitAsked[sub], slices.ContainsFunc(args, runs), sub == "branch" && slices.ContainsFunc(args, func(a string) bool {
		short := strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.ContainsAny(a, "DdfmM") // also several in one, as -fd
		return short || slices.Contains([]string{"--force", "--delete", "--move"}, a)
	}):
		return Verdict{Answer: Ask}
	}
	for i, a := range args { // files that git would write
		option, path, found := strings.Cut(a, "=")
		if option == "--output" && !found && i+1 < len(args) {
			path, found = args[i+1], true
		}
		if option == "--output" && found {
			return stricter(Verdict{Allow, "shell(git *)"}, p.one(Call{Kind: Edit, Paths: []string{path}}))
		}
	}
	return Verdict{Allow, "shell(git *)"}
}

// runs reports whether an argument makes git run a program.
func runs(a string) bool {
	return a == "-x" || a == "--exec" || strings.HasPrefix(a, "--exec=") || strings.HasPrefix(a, "--upload-pack") || strings.HasPrefix(a, "--receive-pack") ||
		strings.HasPrefix(a, "--open-files-in-pager") || strings.HasPrefix(a, "-O") || strings.HasPrefix(a, "ext::") || a == "--ext-diff" || a == "--textconv"
}

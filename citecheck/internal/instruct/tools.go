package instruct

import (
	"slices"
	"strings"
)

// tools are the functions that read the references of a tool's command.
var tools = map[string]func([]word) []Reference{
	"make": makeTargets, "gmake": makeTargets, "just": justRecipes, "task": taskNames, "go-task": taskNames,
	"npm": scripts, "pnpm": scripts, "yarn": scripts, "bun": scripts, "cargo": cargoNames, "go": goPackages, "deno": denoTasks,
}

func target(tool string, w word) Reference {
	return Reference{Kind: Command, Tool: tool, Text: tool + " " + w.text, Target: w.text, Start: w.start, End: w.start}
}

// plain reports whether a word is a literal name, without a variable or pattern.
func plain(w string) bool {
	return w != "" && w[0] != '-' && !strings.ContainsAny(w, "<>$*{}[]()=\\…,!?") && !strings.Contains(w, "...") && strings.ToUpper(w) != w
}

// makeTargets returns the targets of `make`; -C changes the folder.
func makeTargets(words []word) (refs []Reference) {
	base := ""
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case w.text == "-C" || w.text == "--directory":
			if i++; i < len(words) {
				base = words[i].text
			}
		case w.text == "-f" || w.text == "--file" || w.text == "-j" && i+1 < len(words) && strings.Trim(words[i+1].text, "0123456789") == "":
			i++
		case strings.HasPrefix(w.text, "-") || strings.Contains(w.text, "="):
		case plain(w.text):
			ref := target("make", w)
			ref.Parent = base
			refs = append(refs, ref)
		default:
			return refs
		}
	}
	return refs
}

// justRecipes returns the recipe of `just`; the words after it are its arguments.
func justRecipes(words []word) []Reference {
	all := named("just", words, "-f", "--justfile", "-d", "--working-directory", "--set")
	return all[:min(len(all), 1)]
}

// taskNames are the tasks of `task`.
func taskNames(words []word) []Reference {
	return named("task", words, "--", "-d", "--dir", "-t", "--taskfile")
}

// named returns the words that are not options, up to an option with a value or a word that is not a name.
func named(tool string, words []word, valued ...string) (refs []Reference) {
	for _, w := range words[1:] {
		switch {
		case slices.Contains(valued, w.text):
			return refs
		case strings.HasPrefix(w.text, "-") || strings.Contains(w.text, "="):
		case plain(w.text):
			refs = append(refs, target(tool, w))
		default:
			return refs
		}
	}
	return refs
}

// valuedOptions are options of package managers that a value follows.
var valuedOptions = []string{"--filter", "-F", "-w", "--workspace", "-C", "--dir", "--prefix", "--cwd", "-c"}

// builtIn are commands of npm that need no script.
var builtIn = []string{"test", "t", "start", "stop", "restart"}

// scripts returns the script of package.json that a package manager runs. Without `run` it may be a command of the manager's own or a
// program of a dependency.
func scripts(words []word) []Reference {
	tool, sure := words[0].text, false
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case slices.Contains(valuedOptions, w.text):
			i++
		case strings.HasPrefix(w.text, "-"):
		case (w.text == "run" || w.text == "run-script") && !sure:
			sure = true
		case !plain(w.text) || hasEnding(w.text) && strings.ContainsAny(w.text, "/."):
			if sure || tool == "bun" {
				return arguments(tool, words[i:i+1])
			}
			return nil
		case slices.Contains([]string{"exec", "dlx", "x", "create", "add", "install", "i", "workspace", "workspaces"}, w.text) && !sure:
			return nil
		case sure || tool != "npm" || slices.Contains(builtIn, w.text):
			ref := target(tool, w)
			if sure {
				ref.Text, ref.Anchor = tool+" run "+w.text, "run"
			}
			return append([]Reference{ref}, arguments(tool, words[i+1:])...)
		default:
			return nil
		}
	}
	return nil
}

// cargoNames returns the packages, programs, examples and tests that a cargo command selects.
func cargoNames(words []word) (refs []Reference) {
	for i := 1; i < len(words); i++ {
		w := words[i]
		if w.text == "--" {
			return refs
		}
		name, value, joined := strings.Cut(w.text, "=")
		if !slices.Contains([]string{"-p", "--package", "--bin", "--example", "--test", "--bench"}, name) {
			continue
		}
		text := w.text
		if !joined && i+1 < len(words) && plain(words[i+1].text) {
			i++
			value, text = words[i].text, name+" "+words[i].text
		}
		if plain(value) {
			refs = append(refs, Reference{Kind: Command, Tool: "cargo", Anchor: name, Text: "cargo … " + text, Target: value, Start: w.start, End: w.start})
		}
	}
	return refs
}

// goPackages returns the folders that a `go` command builds, runs or tests.
func goPackages(words []word) (refs []Reference) {
	for i, w := range words[1:] {
		if words[i].text == "-run" && symbolName(w.text) != "" {
			refs = append(refs, Reference{Kind: Symbol, Tool: "go", Text: w.text, Target: w.text, Start: w.start, End: w.start})
		}
		if dir := strings.TrimSuffix(w.text, "/..."); strings.HasPrefix(w.text, "./") && dir != "." && dir != "./" && !strings.Contains(dir, "...") {
			refs = append(refs, Reference{Kind: Path, Tool: "go", Text: w.text, Target: dir, Start: w.start, End: w.start + len(dir)})
		}
		if w.text == "." || w.text == "--" {
			return refs
		}
	}
	return refs
}

// denoTasks returns the task of `deno task`, else the named files.
func denoTasks(words []word) []Reference {
	if len(words) > 2 && words[1].text == "task" && plain(words[2].text) {
		return []Reference{target("deno", words[2])}
	}
	return arguments("deno", words[1:])
}

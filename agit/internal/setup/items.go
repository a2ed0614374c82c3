package setup

import (
	"embed"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// content are the texts that are installed. They are read when they are needed.
//
//go:embed content
var content embed.FS

func embedded(name string) string {
	data, err := content.ReadFile(path.Join("content", name))
	if err != nil { // it is compiled in
		panic(err)
	}
	return string(data)
}

// The skills and agent definitions that come with the suite.
var (
	skillNames = []string{"agile-spec-to-build", "structured-review", "memory-citations", "reflect"}
	agentNames = []string{"spec-agent", "brainstorm", "architect-plan", "engineer-build"}
)

// items returns everything that the chosen clients should have. When several clients read the same place, they share one item.
func (s *Setup) items(chosen []*recipe) []Item {
	list := &itemList{items: []Item{}, at: map[string]int{}} // JSON has a list, even of none
	for _, r := range chosen {
		choice := s.chosenServers(r)
		wanted := choice.Servers
		for _, name := range Servers {
			file := s.firstOf(r.Servers.of(s.Options.Scope))
			if file == "" && slices.Contains(s.Options.Clients, r.Name) {
				file = s.firstOf(r.Servers.User)
			}
			installed := s.programs[name] != ""
			if file == "" || choice.None || len(wanted) > 0 && !slices.Contains(wanted, name) || len(wanted) == 0 && !installed && !s.Options.Remove {
				continue
			}
			list.add(r, KindServer, name, file, serverPart{r, name})
		}
		if len(wanted) > 0 && s.Options.Remove { // only servers were named
			continue
		}
		s.hookItems(list, r)
		s.skillItems(list, r)
		s.agentItems(list, r)
		s.habitItems(list, r)
	}
	return list.items
}

type itemList struct {
	items []Item
	at    map[string]int
}

func (l *itemList) add(r *recipe, kind Kind, name, file string, p part) {
	it := Item{Clients: []string{r.Name}, Kind: kind, Name: name, File: file, part: p}
	if i, found := l.at[it.key()]; found {
		l.items[i].Clients = append(l.items[i].Clients, r.Name)
		l.items[i].part = together(l.items[i].part, p)
		return
	}
	l.at[it.key()] = len(l.items)
	l.items = append(l.items, it)
}

func (s *Setup) hookItems(list *itemList, r *recipe) {
	file := s.path(r.Hooks.of(s.Options.Scope))
	if file == "" {
		return
	}
	runs := func(program string) bool { return s.programs[program] != "" || s.Options.Remove }
	var also []string
	if s.Options.Scope == Project {
		also = append(also, s.path(r.Hooks.User))
	}
	for _, template := range r.Servers.of(s.Options.Scope) {
		if at := s.path(template); r.Hooks.Plugins != "" && !s.Options.Remove && !s.Options.Fresh && exists(at) && (oldPlugin{r.Hooks.Plugins}).stands(s.open(at)) {
			list.add(r, KindHook, "old plugin", at, oldPlugin{r.Hooks.Plugins})
		}
	}
	if r.Hooks.Plugin && (runs("memoryd") || runs("agit")) {
		list.add(r, KindHook, "plugin", file, wholeFile{text: embedded("opencode-plugin.js"), also: firstThere(also)})
		return
	}
	if r.Name == "claude-code" && s.Options.Scope == Project {
		also = append(also, filepath.Join(s.Dir, ".claude", "settings.local.json"))
	}
	if r.Servers.TOML { // its servers' file may hold hooks too
		templates := slices.Clone(r.Servers.User)
		if s.Options.Scope == Project {
			templates = append(templates, r.Servers.Project...)
		}
		for _, template := range templates {
			also = append(also, s.path(template))
		}
	}
	events := slices.Clone(r.Hooks.Events)
	if s.Options.Worktrees || s.Options.Remove {
		events = append(events, r.Hooks.Worktrees...)
		if at := s.path(r.Fill.File); at != "" && s.Options.Scope == Project && runs("agit") {
			list.add(r, KindHook, "worktree-setup", at, wholeFile{text: r.Fill.Text})
		}
	}
	for _, e := range events {
		if runs(e.Program) {
			list.add(r, KindHook, e.Name, file, hookPart{r, e, also})
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// firstThere returns a function that returns the first existing file.
func firstThere(files []string) func() string {
	return func() string {
		for _, file := range files {
			if exists(file) {
				return file
			}
		}
		return ""
	}
}

func (s *Setup) skillItems(list *itemList, r *recipe) {
	folder := s.path(r.Skills.of(s.Options.Scope))
	if folder == "" {
		return
	}
	for _, name := range skillNames {
		var also []string
		if s.Options.Scope == Project {
			also = []string{filepath.Join(s.path(r.Skills.User), name, "SKILL.md")}
		}
		for _, own := range r.OwnSkills {
			if at := s.path(own.of(s.Options.Scope)); at != "" {
				also = append(also, filepath.Join(at, name, "SKILL.md"))
			}
			if s.Options.Scope == Project {
				also = append(also, filepath.Join(s.path(own.User), name, "SKILL.md"))
			}
		}
		list.add(r, KindSkill, name, filepath.Join(folder, name, "SKILL.md"), wholeFile{embedded(path.Join("skills", name, "SKILL.md")), firstThere(also)})
	}
}

func (s *Setup) agentItems(list *itemList, r *recipe) {
	folder := s.path(r.Agents.of(s.Options.Scope))
	if folder == "" {
		return
	}
	for _, name := range agentNames {
		description, prompt := definition(embedded("agents/" + name + ".md"))
		var also []string
		if s.Options.Scope == Project && r.Agents.User != "" {
			also = []string{filepath.Join(s.path(r.Agents.User), name+r.Agents.Suffix)}
		}
		there := firstThere(also)
		if r.Agents.InServers {
			there = func() string {
				if file := firstThere(also)(); file != "" {
					return file
				}
				return s.definedIn(r, name)
			}
		}
		list.add(r, KindAgent, name, filepath.Join(folder, name+r.Agents.Suffix), wholeFile{r.Agents.Write(name, description, prompt), there})
	}
}

// definition splits an embedded definition into its parts.
func definition(text string) (description, prompt string) {
	front, prompt, _ := strings.Cut(strings.TrimPrefix(text, "---\n"), "---\n")
	return strings.TrimSpace(strings.TrimPrefix(front, "description:")), prompt
}

// definedIn returns the servers' file that defines an agent, "" when none does.
func (s *Setup) definedIn(r *recipe, name string) string {
	for _, template := range slices.Concat(r.Servers.Project, r.Servers.User) {
		if _, found := valueIn(s.path(template), "agent", name); found {
			return s.path(template)
		}
	}
	return ""
}

// importsAgents matches a line that makes a client read AGENTS.md.
var importsAgents = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:[-*][ \t]+)?@(?:\./)?AGENTS\.md\b`)
})

func (s *Setup) habitItems(list *itemList, r *recipe) {
	const name = "habits"
	if s.Options.Scope == User {
		if file := s.path(r.Habits.User); file != "" {
			list.add(r, KindInstructions, name, file, s.habits(r.Habits.Within))
		}
		return
	}
	list.add(r, KindInstructions, name, s.path(agentsMD), s.habits(codexReads))
	if r.Habits.Import == "" {
		return
	}
	file := s.firstOf(append([]string{r.Habits.Import}, r.Habits.Also...))
	list.add(r, KindInstructions, "import", file, block{
		inner: r.Habits.Line + "\n", line: importsAgents(),
		same: func() bool { return samePlace(file, s.path(agentsMD)) },
		also: func() string {
			if r.Name == "gemini" && s.geminiReadsAgents() {
				return "context.fileName has AGENTS.md"
			}
			return ""
		},
	})
}

// habits is the block of habits. The habit of asking for grades stays in a file that has it, until it is chosen otherwise.
func (s *Setup) habits(within int) block {
	plain, grades := embedded("habits.md"), embedded("grades.md")
	graded := strings.Replace(plain, "Scoring\n", "Scoring\n"+grades, 1)
	switch {
	case s.Options.Grades == nil:
		return block{inner: plain, or: graded, mark: grades, within: within}
	case *s.Options.Grades:
		return block{inner: graded, within: within}
	}
	return block{inner: plain, within: within}
}

// geminiReadsAgents reports whether Gemini CLI is configured to read AGENTS.md.
func (s *Setup) geminiReadsAgents() bool {
	for _, file := range []string{s.path("{project}/.gemini/settings.json"), s.path("{gemini}/settings.json")} {
		names, _ := valueIn(file, "context", "fileName")
		if names == "AGENTS.md" || slices.Contains(words(names), "AGENTS.md") {
			return true
		}
	}
	return false
}

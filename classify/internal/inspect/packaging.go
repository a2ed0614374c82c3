package inspect

import (
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/agentsmd"
)

// packagings are the packaging files at a root that describe the project to its users, by name or extension, with the key before the
// sentence. They are read when no manifest and no README has a description.
var packagings = [...]struct {
	name string
	keys []string
}{
	{"CMakeLists.txt", []string{`PROJECT_DESCRIPTION"`, `DESCRIPTION "`}},
	{"conanfile.py", []string{"description ="}},
	{".podspec", []string{".summary"}},
	{".nuspec", []string{"<description>"}},
	{"shard.yml", []string{"description:"}},
	{"snapcraft.yaml", []string{"summary:"}},
	{"action.yml", []string{"description:"}},
	{"action.yaml", []string{"description:"}},
	{"galaxy.yml", []string{"description:"}},
	{"CITATION.cff", []string{"abstract:", "title:"}},
	{"book.toml", []string{"description =", "title ="}},
	{"mkdocs.yml", []string{"site_description:"}},
	{"antora.yml", []string{"title:"}},
	{"docusaurus.config.js", []string{"tagline:"}},
	{"docusaurus.config.ts", []string{"tagline:"}},
}

// packaged returns a part's description in a packaging file, and the file.
func packaged(p part) (sentence, from string) {
	for _, kind := range packagings {
		for i := range p.files {
			file := &p.files[i]
			if file.Link || path.Base(file.Path) != kind.name && path.Ext(file.Path) != kind.name || strings.Contains(file.Path, "/") && !ofDocumentation(file.Path) {
				continue
			}
			head, err := p.tree.Head(file.Path, 16<<10)
			if err != nil {
				continue
			}
			for _, key := range kind.keys {
				said := clean(valueOf(string(head), key))
				if len(strings.Fields(said)) > 1 && !agentsmd.SaysNothing(said) && !strings.ContainsAny(said, "${}<>@") {
					return strings.TrimSuffix(said, "."), file.Path
				}
			}
		}
	}
	return "", ""
}

// ofDocumentation reports whether a file describes a documentation site in a folder of its own.
func ofDocumentation(file string) bool {
	return slices.Contains([]string{"website", "docs", "doc", "site"}, path.Dir(file)) &&
		(strings.HasPrefix(path.Base(file), "docusaurus.config.") || path.Base(file) == "mkdocs.yml")
}

// valueOf returns the value behind a key: a quoted text, else the rest of the line or of the element.
func valueOf(text, key string) string {
	quotes := strings.HasSuffix(key, `"`)
	_, rest, ok := strings.Cut(text, key)
	if !ok {
		return ""
	}
	if quotes && strings.HasSuffix(key, ` "`) {
		rest = `"` + rest
	}
	rest = strings.TrimLeft(rest, " \t:=\n\r")
	if rest == "" {
		return ""
	}
	if quote := rest[0]; quote == '"' || quote == '\'' {
		var value strings.Builder
		for i := 1; i < len(rest) && rest[i] != quote; i++ {
			if rest[i] == '\\' && i+1 < len(rest) {
				i++ // an escaped character
			}
			value.WriteByte(rest[i])
			if i+1 == len(rest) {
				return "" // it has no end
			}
		}
		return value.String()
	}
	end := "\n"
	if strings.HasPrefix(key, "<") {
		end = "<"
	}
	value, _, _ := strings.Cut(rest, end)
	return value
}

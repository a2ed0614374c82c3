package instruct

import (
	"path"
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// endings are the file name endings that make a name alone in a code span a file.
const endings = ` astro bash bat c cc cfg cjs clj cmake conf cpp cs css csv cts cue cxx dart dockerfile edn ejs el env erl ex exs fish fs gd gleam go gql graphql gradle ` +
	`h hbs hcl hpp hs htm html ini ipynb java jl js json json5 jsonc jsx just kt kts less lock lua m md mdc mdx mjs mk ml mm mod mts nim nix nu patch php pl plist po ` +
	`prisma proto ps1 py pyi pyx r rake rb rs sass scala scm scss sh snap sol sql sum svelte svg swift tcl tf tmpl toml tpl ts tsx txt vue wasm xml yaml yml zig zsh `

// hasEnding reports whether a name ends as files do.
func hasEnding(name string) bool {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	return ext != "" && strings.Contains(endings, " "+ext+" ") && len(path.Base(name)) > len(ext)+1
}

var (
	pathShape = text.Pattern{Expr: `^[\w.@+~/\\\[\]()<>{}$*?,#:=%&' …-]+$`}
	call      = text.Pattern{Expr: `\w\(`}
	version   = text.Pattern{Expr: `^v?\d+(\.\d+)*$`}
	lineMark  = text.Pattern{Expr: `(?::\d+(?:[-:,]\d+)?|#L\d+(?:-L\d+)?|::[\w:\[\]]+|#[\w-]+)$`}
)

// mayBePath reports whether a code span may be the path of a file or a folder. Whether it is one depends on the existing files, later.
func mayBePath(span string) bool {
	if strings.ContainsAny(span, " \t|;\"`!^") || strings.Contains(span, "://") || !pathShape.Regexp().MatchString(span) {
		return false
	}
	if strings.HasPrefix(span, "-") || strings.HasPrefix(span, "$(") || strings.HasPrefix(span, "//") || call.Regexp().MatchString(span) {
		return false
	}
	part := pathPart(span)
	if strings.Contains(strings.Trim(part, "/"), "/") || strings.HasSuffix(part, "/") {
		return part != "/" && !strings.Contains(part, "//")
	}
	return hasEnding(part) && !version.Regexp().MatchString(part) && !strings.HasPrefix(part, ".")
}

// pathPart returns the path of a span without a line number behind it.
func pathPart(span string) string {
	return lineMark.Regexp().ReplaceAllString(span, "")
}

var symbolShape = text.Pattern{Expr: `^(?:[A-Za-z_$][\w$]*(?:::|\.|#|->))*([A-Za-z_]\w*)(?:\(\))?[!?]?$`}

// symbolName returns the last name of a span that is one symbol of code, "" for words that could be anything: a symbol combines several
// words, as camelCase and snake_case do.
func symbolName(span string) string {
	m := symbolShape.Regexp().FindStringSubmatch(span)
	if m == nil || len(m[1]) < 6 {
		return ""
	}
	name := strings.Trim(m[1], "_")
	humps := strings.Count(name, "_")
	for i := 1; i < len(name); i++ {
		if isUpper(name[i]) && !isUpper(name[i-1]) && name[i-1] != '_' {
			humps++
		}
	}
	if humps == 0 {
		return ""
	}
	return m[1]
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

package price

import (
	"strings"

	"github.com/agit-suite/agit/shared/text"
)

// dated matches the suffixes that services put behind a model's name: a date, a version of a platform, the size of its context, a preview.
var dated = text.Pattern{Expr: `(-v[0-9]+)?(:[0-9]+)?$|(@|-)(20[0-9]{6}|20[0-9]{2}-[0-9]{2}-[0-9]{2}|latest|default)$|\[1m\]$|-(preview|exp)(-[0-9]{2}-([0-9]{2}|20[0-9]{2}))?$`}

// Model is the name of a model as the table has it: without its provider, region, date and the size
// of its context.
//
//	us.anthropic.claude-sonnet-4-5-20250929-v1:0  claude-sonnet-4-5
//	openrouter/anthropic/claude-opus-4.6          claude-opus-4-6
func Model(name string) string {
	for {
		short := shorter(name)
		if short == name {
			return name
		}
		name = short
	}
}

// shorter removes one part of a name.
func shorter(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = name[strings.LastIndexByte(name, '/')+1:]
	if i := strings.Index(name, "anthropic."); i >= 0 {
		name = name[i+len("anthropic."):]
	}
	name, fast := strings.CutSuffix(name, fastEnding)
	if short := dated.Regexp().ReplaceAllString(name, ""); short != "" {
		name = short
	}
	if strings.HasPrefix(name, "claude-") {
		name = strings.ReplaceAll(name, ".", "-")
	}
	if fast {
		name += fastEnding
	}
	return name
}

// fastEnding is the suffix that the reader of Claude Code adds to the model of an answer of fast mode.
const fastEnding = "-fast"

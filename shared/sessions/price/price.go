// Package price computes the cost of models' answers from a table of prices. The built-in table has the list prices on
// Date; a file of the user's replaces it. A model that is not in the table has no price: nothing is guessed. Nothing here
// reads the network.
//
// price.go computes and reads names of models, table.go is the built-in table, file.go reads one.
package price

import (
	"strings"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/text"
)

// Rates are dollars, or another currency, for a million tokens.
type Rates struct {
	Input     float64 `json:"input"`
	Output    float64 `json:"output"`
	CacheRead float64 `json:"cache_read"`
	Write5m   float64 `json:"cache_write_5m"` // of a cache that is kept for five minutes
	Write1h   float64 `json:"cache_write_1h"` // of a cache that is kept for an hour
}

// Price is the price of a model. A request that reads more than Above tokens, including cached ones, costs Long in whole, including its
// output; 0 means never.
type Price struct {
	Rates
	Above int64  `json:"above,omitempty"`
	Long  *Rates `json:"long,omitempty"`
}

// Table holds prices of models by their names, as Model returns them.
type Table struct {
	Date     string // the day of the prices
	Source   string // BuiltIn, or the path of a file
	Currency string // ISO 4217
	Models   map[string]Price
}

// BuiltIn is the Source of the table of this program.
const BuiltIn = "built-in"

// Cost returns the cost of one answer of a model; known is false when the table has no price of the model. An answer without tokens costs
// nothing, whatever its model.
func (t *Table) Cost(model string, took sessions.Tokens) (amount float64, known bool) {
	p, ok := t.Models[Model(model)]
	if !ok {
		return 0, took.Total() == 0
	}
	r := p.Rates
	if p.Long != nil && p.Above > 0 && took.Input+took.CacheRead+took.Cache5m+took.Cache1h > p.Above {
		r = *p.Long
	}
	const million = 1e6
	return (float64(took.Input)*r.Input + float64(took.Output)*r.Output + float64(took.CacheRead)*r.CacheRead +
		float64(took.Cache5m)*r.Write5m + float64(took.Cache1h)*r.Write1h) / million, true
}

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

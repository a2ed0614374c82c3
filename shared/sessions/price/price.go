// Package price computes the cost of models' answers from a table of prices. The built-in table has the list prices on
// Date; a file of the user's replaces it. A model that is not in the table has no price: nothing is guessed. Nothing here
// reads the network.
//
// price.go computes, and reads names of models and a user's table; table.go is the built-in one.
package price

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
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

// largest bounds a file of prices, in bytes.
const largest = 4 << 20

// document is a file of prices.
type document struct {
	Date     string           `json:"date"`
	Currency string           `json:"currency"`
	Models   map[string]Price `json:"models"`
}

// Open is the table in a file of JSON, which replaces the built-in one; that is returned for "". Its
// errors are ValidationErrors that name the file and what is wrong in it.
//
//	{"date": "2026-11-26", "currency": "USD", "models": {"claude-opus-4-6": {"input": 5, "output": 25,
//	 "cache_read": 0.5, "cache_write_5m": 6.25, "cache_write_1h": 10, "above": 200000, "long": {…}}}}
func Open(path string) (*Table, error) {
	if path == "" {
		return Default(), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, bad(path, "%v", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, largest+1))
	if err == nil && len(data) > largest {
		return nil, bad(path, "it is larger than 4 MB")
	}
	if err != nil {
		return nil, bad(path, "%v", err)
	}
	return parse(path, data)
}

func parse(path string, data []byte) (*Table, error) {
	var d document
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	if err := in.Decode(&d); err != nil {
		return nil, bad(path, "%v", err)
	}
	if _, err := in.Token(); err != io.EOF {
		return nil, bad(path, "something follows the document")
	}
	if _, err := time.Parse(time.DateOnly, d.Date); err != nil {
		return nil, bad(path, "date %q is not a date such as %s", d.Date, Date)
	}
	d.Currency = cmp.Or(d.Currency, "USD")
	if len(d.Currency) != 3 || strings.ToUpper(d.Currency) != d.Currency {
		return nil, bad(path, "currency %q is not a code such as USD", d.Currency)
	}
	if len(d.Models) == 0 {
		return nil, bad(path, "it has no models")
	}
	t := &Table{Date: d.Date, Source: path, Currency: d.Currency, Models: make(map[string]Price, len(d.Models))}
	for name, p := range d.Models {
		if p.Long == nil {
			p.Long = &Rates{}
			p.Above = 0
		}
		for _, rate := range []float64{p.Input, p.Output, p.CacheRead, p.Write5m, p.Write1h, p.Long.Input, p.Long.Output, p.Long.CacheRead, p.Long.Write5m, p.Long.Write1h} {
			if rate < 0 || math.IsInf(rate, 0) || rate > 1e6 {
				return nil, bad(path, "a price of %q is not from 0 to 1000000", name)
			}
		}
		t.Models[Model(name)] = p
	}
	return t, nil
}

func bad(path, format string, args ...any) error {
	return fault.Validation("work.prices", "the prices in %q cannot be read: "+format, append([]any{path}, args...)...).
		WithHint(`write {"date": "%s", "models": {"NAME": {"input": 5, "output": 25, "cache_read": 0.5, "cache_write_5m": 6.25, "cache_write_1h": 10}}}, in dollars for a million tokens`, Date)
}

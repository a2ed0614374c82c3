package costs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/price"
	"github.com/agit-suite/agit/shared/text"
)

// Tokens counts what models read and wrote. Input excludes tokens read from a cache and tokens written to one.
type Tokens struct {
	Input        int64 `json:"input"`
	Output       int64 `json:"output"`
	CacheRead    int64 `json:"cache_read"`
	CacheWrite5m int64 `json:"cache_write_5m"`
	CacheWrite1h int64 `json:"cache_write_1h"`
	Total        int64 `json:"total"`
}

func (t *Tokens) add(o sessions.Tokens) {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheWrite5m += o.Cache5m
	t.CacheWrite1h += o.Cache1h
	t.Total += o.Total()
}

// Money is an amount in one currency.
type Money struct {
	Currency string  `json:"currency"`
	Amount   float64 `json:"amount"`
	Computed float64 `json:"computed"` // the part computed from a price table; the client reported the rest
}

// Sum is the use of some answers.
type Sum struct {
	Answers int     `json:"answers"`
	Tokens  Tokens  `json:"tokens"`
	Cost    []Money `json:"cost"` // one for each currency; empty when nothing has a price
	// Unpriced counts the tokens without a known cost and names their models; "" is an unnamed model.
	Unpriced       int64    `json:"unpriced_tokens,omitempty"`
	UnpricedModels []string `json:"unpriced_models,omitempty"`
}

func (s *Sum) add(e entry) {
	s.Answers += e.answers
	s.Tokens.add(e.Tokens)
	if e.currency != "" {
		i, found := slices.BinarySearchFunc(s.Cost, e.currency, func(m Money, c string) int { return strings.Compare(m.Currency, c) })
		if !found {
			s.Cost = slices.Insert(s.Cost, i, Money{Currency: e.currency})
		}
		s.Cost[i].Amount += e.amount
		if e.computed {
			s.Cost[i].Computed += e.amount
		}
		return
	}
	if n := e.Tokens.Total(); n > 0 {
		s.Unpriced += n
		if i, found := slices.BinarySearch(s.UnpricedModels, e.Model); !found {
			s.UnpricedModels = slices.Insert(s.UnpricedModels, i, e.Model)
		}
	}
}

// round rounds amounts to millionths, to remove floating-point noise.
func (s *Sum) round() {
	for i := range s.Cost {
		m := &s.Cost[i]
		m.Amount, m.Computed = math.Round(m.Amount*1e6)/1e6, math.Round(m.Computed*1e6)/1e6
	}
	if s.Cost == nil {
		s.Cost = []Money{}
	}
}

// Short formats a number of tokens in at most five characters: 950, 12.3k, 4.56M, 1.20G.
func Short(n int64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		v := float64(n) / unit.of
		switch {
		case v >= 99.95:
			return strconv.FormatFloat(v, 'f', 0, 64) + unit.name
		case v >= 9.995:
			return strconv.FormatFloat(v, 'f', 1, 64) + unit.name
		case v >= 0.9995:
			return strconv.FormatFloat(v, 'f', 2, 64) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// computedMark follows an amount that is partly computed from a price table, unknownMark an incomplete amount.
const (
	computedMark = "*"
	unknownMark  = "+?"
)

// Words formats the cost of a sum: "$1.23", "$1.23*" when a part was computed, "$1.23+?" when tokens have no known price, "3.20 EUR",
// "" when nothing was used, and "?" when no cost is known. A nil sum is "".
func (s *Sum) Words() string {
	if s == nil {
		return ""
	}
	var parts []string
	for _, m := range s.Cost {
		part := Amount(m.Amount, m.Currency)
		if m.Computed > 0 {
			part += computedMark
		}
		parts = append(parts, part)
	}
	words := strings.Join(parts, " ")
	switch {
	case s.Unpriced == 0:
		return words
	case words == "":
		return "?"
	}
	return words + unknownMark
}

// Amount formats an amount for people, with four decimals when it is less than ten cents.
func Amount(amount float64, currency string) string {
	digits := 2
	if amount > 0 && amount < 0.1 {
		digits = 4
	}
	number := strconv.FormatFloat(amount, 'f', digits, 64)
	if currency == "USD" {
		return "$" + number
	}
	return number + " " + currency
}

// Computed reports whether a part of the cost comes from a price table.
func (s Sum) Computed() bool {
	return slices.ContainsFunc(s.Cost, func(m Money) bool { return m.Computed > 0 })
}

// Notes explain the marks of Words in sentences.
func (r Report) Notes() (notes []string) {
	if r.Total.Computed() {
		from := "the built-in prices of " + r.Prices.Date
		if r.Prices.Source != price.BuiltIn {
			from = fmt.Sprintf("the prices of %s in %q", r.Prices.Date, r.Prices.Source)
		}
		notes = append(notes, computedMark+" computed from "+from+"; a cost that a client states counts instead")
	}
	if r.Total.Unpriced > 0 {
		models := make([]string, len(r.Total.UnpricedModels))
		for i, m := range r.Total.UnpricedModels {
			models[i] = m
			if m == "" {
				models[i] = "a model without a name"
			}
		}
		notes = append(notes, fmt.Sprintf("%s %s tokens have no known price: %s; `work.prices` names a file with further prices", unknownMark, Short(r.Total.Unpriced), text.Few(models)))
	}
	return notes
}

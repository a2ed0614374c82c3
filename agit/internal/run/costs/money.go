package costs

import (
	"math"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/sessions"
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
		s.money(e.currency, e.amount, e.computed)
		return
	}
	if n := e.Tokens.Total(); n > 0 {
		s.Unpriced += n
		if i, found := slices.BinarySearch(s.UnpricedModels, e.Model); !found {
			s.UnpricedModels = slices.Insert(s.UnpricedModels, i, e.Model)
		}
	}
}

func (s *Sum) money(currency string, amount float64, computed bool) {
	i, found := slices.BinarySearchFunc(s.Cost, currency, func(m Money, c string) int { return strings.Compare(m.Currency, c) })
	if !found {
		s.Cost = slices.Insert(s.Cost, i, Money{Currency: currency})
	}
	s.Cost[i].Amount += amount
	if computed {
		s.Cost[i].Computed += amount
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

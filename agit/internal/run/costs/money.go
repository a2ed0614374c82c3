package costs

import (
	"math"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/sessions"
)

// Tokens is what models read and wrote. Input is what was read anew: neither from a cache nor into one.
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

// Money is an amount of one currency.
type Money struct {
	Currency string  `json:"currency"`
	Amount   float64 `json:"amount"`
	Computed float64 `json:"computed"` // the part that comes from a table of prices; the client stated the rest
}

// Sum is what some answers took.
type Sum struct {
	Answers int     `json:"answers"`
	Tokens  Tokens  `json:"tokens"`
	Cost    []Money `json:"cost"` // one for each currency; none where nothing has a price
	// Unpriced are the tokens of which no cost is known, and of which models; "" is a model that no one named.
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

// round rounds amounts to millionths, so that a document holds no noise of sums.
func (s *Sum) round() {
	for i := range s.Cost {
		m := &s.Cost[i]
		m.Amount, m.Computed = math.Round(m.Amount*1e6)/1e6, math.Round(m.Computed*1e6)/1e6
	}
	if s.Cost == nil {
		s.Cost = []Money{}
	}
}

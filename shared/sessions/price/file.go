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
)

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

package budget

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
)

// A comma separates budgets unless it is a decimal comma.
func TestCommas(t *testing.T) {
	t.Parallel()
	euros, tokens := Budget{15e5, "EUR", Task}, Budget{2e6, "", Task}
	for s, want := range map[string][]Budget{
		"1,5 eur/task": {euros}, "1,5 eur/task,2M tokens/task": {euros, tokens}, "2M tokens/task, 1,5 eur/task": {tokens, euros},
		"1,5": nil, "1,5 eur/task,": {euros}, "2M tokens/task,much": nil, "1,5,2M tokens/task": nil,
	} {
		got, err := Parse([]string{s})
		if diff := cmp.Diff(want, got); diff != "" || (err != nil) != (want == nil) {
			t.Errorf("%q: %v (-want +got):\n%s", s, err, diff)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Budget{
		"20usd/day":       {20e6, "USD", Day},
		"$5/task":         {5e6, "USD", Task},
		"0.50 EUR / task": {5e5, "EUR", Task},
		"2,5€/day":        {25e5, "EUR", Day},
		"2M tokens/task":  {2e6, "", Task},
		"500k tokens/day": {5e5, "", Day},
		"1.5G Tokens/day": {15e8, "", Day},
		"1 token/task":    {1, "", Task},
		"3 dollars/day":   {3e6, "USD", Day},
		".000001 usd/day": {1, "USD", Day},
	} {
		got, err := Parse([]string{s})
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%q: %+v %v, want %+v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "20", "20usd", "usd/day", "20/day", "20usd/week", "-1usd/day", "0usd/day", "0.2 tokens/day", "$20usd/day", "2kusd/day", "2 k/day", "1e9usd/day", "9999999999999usd/day", "20usd/day/task"} {
		if got, err := Parse([]string{"1usd/day", s}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%q: %+v %v", s, got, err)
		}
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	all := []Budget{{10, "USD", Day}, {100, "", Task}, {50, "EUR", Task}}
	spent := func(tokens, usd, eur int64) Spent { return Spent{tokens, map[string]int64{"USD": usd, "EUR": eur}} }
	for name, c := range map[string]struct {
		day, task Spent
		want      *Budget
	}{
		"nothing":                        {Spent{}, Spent{}, nil},
		"below each":                     {spent(0, 9, 99), spent(99, 99, 49), nil},
		"the day's, to the last":         {spent(0, 10, 0), Spent{}, &all[0]},
		"a task's tokens":                {Spent{}, spent(100, 0, 0), &all[1]},
		"a task's money":                 {Spent{}, spent(0, 0, 50), &all[2]},
		"tokens of the day do not count": {spent(1000, 0, 1000), spent(0, 1000, 0), nil},
		"the first of several":           {spent(0, 10, 0), spent(100, 0, 50), &all[0]},
	} {
		if diff := cmp.Diff(c.want, First(all, c.day, c.task)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := Of(all, Task); len(got) != 2 || got[0] != all[1] {
		t.Errorf("%+v", got)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	day, task := Spent{12345, map[string]int64{"USD": 3_204_000}}, Spent{99, nil}
	for b, want := range map[Budget]string{
		{20e6, "USD", Day}: "$3.20 of $20.00 a day",
		{5e6, "EUR", Task}: "0.00 EUR of 5.00 EUR a task",
		{2e6, "", Day}:     "12.3k of 2.00M tokens a day",
		{100, "", Task}:    "99 of 100 tokens a task",
	} {
		if got := b.Words(day, task); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("20usd/day")
	f.Add("2M tokens/task")
	f.Fuzz(func(t *testing.T, s string) {
		all, err := Parse([]string{s})
		if (err == nil) != (len(all) == 1) || err == nil && (all[0].Most < 1 || all[0].Per != Day && all[0].Per != Task) {
			t.Errorf("%q: %+v %v", s, all, err)
		}
	})
}

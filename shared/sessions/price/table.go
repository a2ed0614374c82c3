package price

// Date is the day on which the prices of Default were looked up.
const Date = "2026-11-26"

// Default is the built-in table: list prices in dollars of the standard tier, without batches, regions
// and contracts. A price of a promotion is that of Date, also for answers before it.
//
// Sources: https://docs.anthropic.com/en/docs/about-claude/pricing (a cache is written at 1.25 times the
// input for five minutes, at twice it for an hour, and read at a tenth), https://developers.openai.com/api/docs/pricing
// (above 272,000 tokens of input twice the input and one and a half times the output),
// https://ai.google.dev/gemini-api/docs/pricing.
func Default() *Table {
	t := &Table{Date: Date, Source: BuiltIn, Currency: "USD", Models: map[string]Price{}}
	for name, p := range map[string][2]float64{ // input, output
		"claude-opus-5-5": {4, 20}, "claude-opus-5": {5, 25},
		"claude-opus-4-8": {5, 25}, "claude-opus-4-7": {5, 25}, "claude-opus-4-6": {5, 25}, "claude-opus-4-5": {5, 25},
		"claude-opus-4-1": {15, 75}, "claude-opus-4-0": {15, 75}, "claude-opus-4": {15, 75}, "claude-3-opus": {15, 75},
		"claude-sonnet-5-5": {2, 10}, "claude-sonnet-5": {2, 10}, "claude-sonnet-4-6": {3, 15},
		"claude-sonnet-4-5": {3, 15}, "claude-sonnet-4-0": {3, 15}, "claude-sonnet-4": {3, 15},
		"claude-3-7-sonnet": {3, 15}, "claude-3-5-sonnet": {3, 15},
		"claude-haiku-4-5": {1, 5}, "claude-3-5-haiku": {0.8, 4},
		"claude-fable-5": {10, 50}, "claude-fable-5-1": {10, 50}, "claude-mythos-5": {10, 50}, "claude-mythos-5-1": {10, 50},
		"claude-opus-4-6-fast": {30, 150}, "claude-opus-4-7-fast": {30, 150}, "claude-opus-4-8-fast": {10, 50},
	} {
		t.Models[name] = Price{Rates: anthropic(p[0], p[1])}
	}
	t.Models["claude-3-haiku"] = Price{Rates: Rates{Input: 0.25, Output: 1.25, CacheRead: 0.03, Write5m: 0.3, Write1h: 0.5}}
	for _, name := range []string{"claude-sonnet-4-5", "claude-sonnet-4-0", "claude-sonnet-4"} {
		long := anthropic(6, 22.5)
		t.Models[name] = Price{Rates: anthropic(3, 15), Above: 200_000, Long: &long}
	}
	for name, p := range map[string][3]float64{ // input, cached input, output
		"gpt-5": {1.25, 0.125, 10}, "gpt-5-codex": {1.25, 0.125, 10}, "gpt-5-mini": {0.25, 0.025, 2}, "gpt-5-nano": {0.05, 0.005, 0.4},
		"gpt-5-pro": {15, 15, 120}, "gpt-5.1": {1.25, 0.125, 10}, "gpt-5.1-codex": {1.25, 0.125, 10},
		"gpt-5.1-codex-max": {1.25, 0.125, 10}, "gpt-5.1-codex-mini": {0.25, 0.025, 2},
		"gpt-5.2": {1.75, 0.175, 14}, "gpt-5.2-codex": {1.75, 0.175, 14}, "gpt-5.2-pro": {21, 21, 168}, "gpt-5.3-codex": {1.75, 0.175, 14},
		"gpt-5.4-mini": {0.75, 0.075, 4.5}, "gpt-5.4-nano": {0.2, 0.02, 1.25},
		"gpt-4.1": {2, 0.5, 8}, "gpt-4.1-mini": {0.4, 0.1, 1.6}, "gpt-4.1-nano": {0.1, 0.025, 0.4},
		"gpt-4o": {2.5, 1.25, 10}, "gpt-4o-mini": {0.15, 0.075, 0.6},
		"o3": {2, 0.5, 8}, "o3-mini": {1.1, 0.55, 4.4}, "o3-pro": {20, 20, 80}, "o4-mini": {1.1, 0.275, 4.4}, "codex-mini": {1.5, 0.375, 6},
		"gemini-3.5-flash": {1.5, 0.15, 9}, "gemini-3.1-flash-lite": {0.25, 0.025, 1.5}, "gemini-3-flash": {0.5, 0.05, 3},
		"gemini-2.5-flash": {0.3, 0.03, 2.5}, "gemini-2.5-flash-lite": {0.1, 0.01, 0.4}, "gemini-2.0-flash": {0.1, 0.025, 0.4},
	} {
		t.Models[name] = Price{Rates: plain(p[0], p[1], p[2])}
	}
	for name, p := range map[string]struct {
		above                 int64
		input, cached, output float64
	}{
		"gpt-6-astra": {272_000, 10, 1, 50}, "gpt-5.6": {272_000, 4, 0.4, 20}, "gpt-5.6-sol": {272_000, 4, 0.4, 20},
		"gpt-5.6-terra": {272_000, 2, 0.2, 12}, "gpt-5.6-luna": {272_000, 0.2, 0.02, 1.2},
		"gpt-5.5": {272_000, 5, 0.5, 30}, "gpt-5.5-pro": {272_000, 30, 30, 180}, "gpt-5.4": {272_000, 2.5, 0.25, 15}, "gpt-5.4-pro": {272_000, 30, 30, 180},
		"gemini-3.1-pro": {200_000, 2, 0.2, 12}, "gemini-3-pro": {200_000, 2, 0.2, 12}, "gemini-2.5-pro": {200_000, 1.25, 0.125, 10},
	} {
		long := plain(2*p.input, 2*p.cached, 1.5*p.output)
		t.Models[name] = Price{Rates: plain(p.input, p.cached, p.output), Above: p.above, Long: &long}
	}
	return t
}

// anthropic returns the rates of a model of Anthropic's: the rates of its cache follow from its input.
func anthropic(input, output float64) Rates {
	return Rates{Input: input, Output: output, CacheRead: input / 10, Write5m: input * 1.25, Write1h: input * 2}
}

// plain returns the rates of services that manage a cache themselves: writing to it costs the same as input.
func plain(input, cached, output float64) Rates {
	return Rates{Input: input, Output: output, CacheRead: cached, Write5m: input, Write1h: input}
}

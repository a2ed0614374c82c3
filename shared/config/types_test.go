package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0": 0, "5m": 5 * time.Minute, "7d": 7 * day, "2h": 2 * time.Hour, "2w": 14 * day, "1d12h": 36 * time.Hour,
		"1.5h": 90 * time.Minute, "250ms": 250 * time.Millisecond, " 30s ": 30 * time.Second, "0s": 0,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "m", "-5m", "5 m", "5min", "1h-2m", "1..5h", "NaN", "1e9h", "99999d", "Inf", "5M", "٥m"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	f.Add("1w2d3h4m5s6ms")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDuration(text)
		if err != nil {
			return
		}
		if d < 0 || d > maxDuration {
			t.Fatalf("%q is %v", text, d)
		}
		d = d.Truncate(time.Millisecond)
		if again, err := ParseDuration(FormatDuration(d)); err != nil || again != d {
			t.Fatalf("%v is written %q, read %v, %v", d, FormatDuration(d), again, err)
		}
	})
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]Size{"0": 0, "512MB": 512 << 20, "2 gb": 2 << 30, "1048576": 1 << 20, "4k": 4096, "7B": 7} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "MB", "-1MB", "1.5GB", "9999999999GB", "1TB", "1 2"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for size, want := range map[Size]string{0: "0", 1 << 30: "1GB", 512 << 20: "512MB", 1500: "1500", 3 << 10: "3KB"} {
		if size.String() != want {
			t.Errorf("%d is %s", int64(size), size)
		}
	}
}

func TestSecret(t *testing.T) {
	type holder struct{ Key Secret }
	h := holder{"hunter2"}
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", h.Key)
	for _, shown := range []string{string(text), log.String(), fmt.Sprint(h), fmt.Sprintf("%+v %#v %s %q %v", h, h, h.Key, h.Key, h.Key)} {
		if strings.Contains(shown, "hunter2") {
			t.Errorf("shown: %s", shown)
		}
	}
}

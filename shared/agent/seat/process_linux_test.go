package seat

import "testing"

func TestReadStat(t *testing.T) {
	t.Parallel()
	const rest = " 5 5 0 -1 4194304 1 0 0 0 3 4 0 0 20 0 7 0 "
	for stat, want := range map[string]struct {
		name    string
		parent  int64
		started string
	}{
		"42 (claude) S 17" + rest + "9876 100 200":      {"claude", 17, "9876"},
		"42 (a) b) (c) R 17" + rest + "9876 100":        {"a) b) (c", 17, "9876"},
		"42 () S 1" + rest + "9876":                     {"", 1, "9876"},
		"42 (claude) Z 17" + rest + "9876 100 200":      {},
		"42 (claude) S 17 5 5 0 -1 4194304 1 0 0 0 3 4": {},
		"42 (claude) S 17" + rest:                       {},
		"42 claude) S 17" + rest + "9876":               {},
		"42 )claude( S 17" + rest + "9876":              {},
		"":                                              {},
	} {
		if name, parent, started := readStat(stat); name != want.name || parent != want.parent || started != want.started {
			t.Errorf("%q: %q %d %q", stat, name, parent, started)
		}
	}
}

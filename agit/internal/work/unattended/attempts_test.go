package unattended

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/timestamp"
)

// TestFailures counts the attempts that a task has used up.
func TestFailures(t *testing.T) {
	begun := time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC)
	history := func(states ...State) (all []Attempt) {
		for i, s := range states {
			all = append(all, Attempt{State: s, StartedAt: timestamp.Of(begun.Add(time.Duration(i) * time.Hour))})
		}
		return all
	}
	cut := history(Failed, Lost)
	cut[1].Why = cutInFinish
	for name, test := range map[string]struct {
		history  []Attempt
		reopened time.Time
		want     int
	}{
		"none":                        {nil, time.Time{}, 0},
		"failed and lost ones":        {history(Failed, Lost, Failed), time.Time{}, 3},
		"what a person stopped":       {history(Failed, Stopped, Returned, Running), time.Time{}, 1},
		"since it was done":           {history(Failed, Failed, Done, Failed), time.Time{}, 1},
		"since it was reopened":       {history(Failed, Failed, Failed), begun.Add(90 * time.Minute), 1},
		"cut off while it was landed": {cut, time.Time{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := failures(test.history, test.reopened); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

func TestPauses(t *testing.T) {
	m := member{crew: &Crew{o: Options{Pause: 30 * time.Second}}}
	for n, want := range map[int]time.Duration{0: 30 * time.Second, 1: 30 * time.Second, 2: time.Minute, 4: 4 * time.Minute, 6: longestPause, 1000: longestPause} {
		if got := m.pause(n); got != want {
			t.Errorf("after %d failures %s, want %s", n, got, want)
		}
	}
}

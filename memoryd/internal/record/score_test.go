package record_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/fault"
)

// Worked out by hand from the rules in docs/scores.md.
func TestGain(t *testing.T) {
	for _, tc := range []struct {
		name   string
		sp     int64
		xp     record.Tenths
		gain   record.Tenths
		wantSP int64
		wantXP string
		next   string
	}{
		{"a tenth", 1, 0, 1, 1, "0.1", "10.0"},
		{"one tenth short", 1, 98, 1, 1, "9.9", "10.0"},
		{"just enough", 1, 99, 1, 2, "0.0", "20.0"},
		{"the rest is kept", 1, 95, 10, 2, "0.5", "20.0"},
		{"at SP 2 it takes 20", 2, 199, 1, 3, "0.0", "30.0"},
		{"two levels at once: 10 + 20", 1, 0, 301, 3, "0.1", "30.0"},
		{"three levels at once: 10 + 20 + 30", 1, 0, 600, 4, "0.0", "40.0"},
		{"without points it takes 10", 0, 99, 1, 1, "0.0", "10.0"},
		{"below nothing too", -3, 99, 1, -2, "0.0", "10.0"},
		{"after a bug: 15 of 20 become 15.1 of 10", 1, 150, 1, 2, "5.1", "20.0"},
	} {
		s := record.Scores{SP: tc.sp, XP: tc.xp}
		bought := s.Gain(tc.gain)
		if s.SP != tc.wantSP || s.XP.String() != tc.wantXP || s.NextSP().String() != tc.next || bought != tc.wantSP-tc.sp {
			t.Errorf("%s: SP %d, XP %s of %s, bought %d", tc.name, s.SP, s.XP, s.NextSP(), bought)
		}
	}
}

func TestTiers(t *testing.T) {
	for sp, want := range map[int64]string{
		-5: "PROBATION", 0: "PROBATION", 1: "PROBATION", 2: "JUNIOR", 3: "JUNIOR", 4: "ESTABLISHED", 6: "ESTABLISHED",
		7: "SENIOR", 9: "SENIOR", 10: "EXPERT", 11: "EXPERT", 1000: "EXPERT",
	} {
		if got := record.Tier(sp); got != want {
			t.Errorf("SP %d is %s, want %s", sp, got, want)
		}
	}
}

func TestBugHalts(t *testing.T) {
	s := record.Scores{SP: 2}
	for i, want := range []struct {
		sp     int64
		halts  bool
		halted bool
	}{{1, false, false}, {0, true, true}, {-1, false, true}} {
		if halts := s.Bug(); halts != want.halts || s.Halted != want.halted || s.SP != want.sp || s.Bugs != int64(i+1) {
			t.Errorf("bug %d: halts %t, %+v", i+1, halts, s)
		}
	}
	if bought := s.Gain(300); bought != 0 || s.SP != -1 || s.XP != 300 || !s.Halted {
		t.Errorf("XP hid the halt: %+v", s)
	}
	s.Resume()
	if s.SP != 1 || s.Halted || s.Bugs != 3 {
		t.Errorf("resumed: %+v", s)
	}
	// Earlier versions sold points to halted agents: a resume takes none.
	rich := record.Scores{SP: 2, Halted: true}
	if rich.Resume(); rich.SP != 2 || rich.Halted {
		t.Errorf("resumed: %+v", rich)
	}
	s.SP = 7
	if s.Resume(); s.SP != 7 {
		t.Errorf("resuming one that is not halted took its points: %+v", s)
	}
}

// The invariants: XP stays below the price of the next point after a gain, separate gains equal one gain of their sum, only a bug halts,
// and only a resume ends that.
func TestScoresProperties(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		one := record.Start()
		for range chance.IntN(60) {
			before := one
			switch chance.IntN(4) {
			case 0:
				gain := record.Tenths(chance.IntN(400))
				one.Gain(gain)
				if one.XP < 0 || one.XP >= one.NextSP() && !one.Halted || one.Halted && one.SP != before.SP {
					t.Fatalf("gain of %s: %+v became %+v", gain, before, one)
				}
				if again := before; again.Gain(gain/3) >= 0 && again.Gain(gain-gain/3) >= 0 && again != one {
					t.Fatalf("%s in two parts: %+v, at once: %+v", gain, again, one)
				}
			case 1:
				a, u := record.Grades[chance.IntN(4)], record.Grades[chance.IntN(4)]
				one.Graded(a, u)
				if d := one.CS - before.CS; d < -2 || d > 10 || d != int64(a)+int64(u) {
					t.Fatalf("grades %d and %d moved CS by %d", a, u, d)
				}
			case 2:
				halts := one.Bug()
				if one.SP != before.SP-1 || one.XP != before.XP || halts != (one.SP <= 0 && !before.Halted) {
					t.Fatalf("a bug: %+v became %+v", before, one)
				}
			case 3:
				one.Resume()
				if one.Halted || before.Halted && one.SP != max(before.SP, 1) || !before.Halted && one != before {
					t.Fatalf("resumed: %+v became %+v", before, one)
				}
			}
			if one.Halted != before.Halted && one.SP == before.SP && one.Bugs == before.Bugs && one.SP != 1 {
				t.Fatalf("halted changed by itself: %+v became %+v", before, one)
			}
			if one.Progress() < 0 || one.Progress() > 100 || one.Tier() != record.Tier(one.SP) {
				t.Fatalf("progress %d, tier %s of %+v", one.Progress(), one.Tier(), one)
			}
		}
	}
}

// A thousand tenths are exactly a hundred points.
func TestTenthsDoNotDrift(t *testing.T) {
	s := record.Scores{SP: 1000}
	for range 1000 {
		s.Gain(record.UseXP)
	}
	if s.XP.String() != "100.0" || s.SP != 1000 {
		t.Errorf("%+v", s)
	}
	for xp, want := range map[record.Tenths]string{0: "0", 1: "0.1", 10: "1", 99: "9.9", 1000: "100", -5: "-0.5"} {
		got, err := json.Marshal(xp)
		if err != nil || string(got) != want {
			t.Errorf("%d tenths are %s, %v", int64(xp), got, err)
		}
	}
}

func TestParseGrade(t *testing.T) {
	for given, want := range map[string]record.Grade{"-1": -1, "1": 1, "2": 2, "5": 5, "bad": -1, "Neutral": 1, "GOOD": 2, "excellence": 5} {
		if got, err := record.ParseGrade("g", given); err != nil || got != want {
			t.Errorf("%q: %d, %v", given, got, err)
		}
	}
	for _, given := range []string{"", "0", "3", "4", "-2", "6", "10", "+1", "1.0", "great", "٢", " 1"} {
		if _, err := record.ParseGrade("g", given); !fault.Is(err, fault.KindValidation) || fault.From(err).Field != "g" {
			t.Errorf("%q: %v", given, err)
		}
	}
}

func FuzzParseGrade(f *testing.F) {
	f.Add("5")
	f.Add("excellence")
	f.Fuzz(func(t *testing.T, s string) {
		g, err := record.ParseGrade("grade", s)
		if (err == nil) != (g.String() != "") {
			t.Errorf("%q: %d, %v", s, g, err)
		}
	})
}

// The range of points on a sheet is the range of the tier.
func TestTierSP(t *testing.T) {
	for sp, want := range map[int64]string{-3: "below SP 2", 1: "below SP 2", 2: "SP 2 to 3", 3: "SP 2 to 3", 4: "SP 4 to 6", 9: "SP 7 to 9", 10: "SP 10 and more", 99: "SP 10 and more"} {
		if got := record.TierSP(sp); got != want {
			t.Errorf("SP %d is of the tier of %q, want %q", sp, got, want)
		}
	}
}

package trial

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agit-suite/agit/agit/internal/land/halving"
	"github.com/agit-suite/agit/agit/internal/land/verdict"
	"github.com/agit-suite/agit/agit/internal/run/runlog"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// judge lets the gate judge all parties together. A set that fails is halved. A party that fails on top of those that would land before it
// is reported with the smallest set that it fails with; the others pass together.
func (t *trying) judge(ctx context.Context) error {
	if limit := cmp.Or(t.o.Limit, t.judgement.Set.TrialLimit); limit > 0 {
		limited, stop := context.WithTimeoutCause(ctx, limit, errLimit)
		defer stop()
		ctx = limited
	}
	t.verdicts = map[string]*verdict.Verdict{}
	whole, err := t.verdict(ctx, halving.All(len(t.parties)))
	if err == nil && whole != nil {
		t.out.Seconds, t.out.Log = whole.Took.Seconds(), whole.Log
	}
	if err == nil {
		err = t.separate(ctx)
	}
	if errors.Is(context.Cause(ctx), errLimit) && err != nil {
		t.out.Result, t.out.Known = Unfinished, false
		return nil
	}
	if err != nil {
		return err
	}
	t.out.Known = t.out.Runs == 0
	t.out.Result = Green
	if len(t.out.Failures) > 0 {
		t.out.Result = Red
	}
	return nil
}

// errLimit is the cause when a trial's time is over.
var errLimit = errors.New("the time for the trial is over")

// separate finds the parties that pass together, and for each of the others the set that it fails with.
func (t *trying) separate(ctx context.Context) error {
	var passing []int
	return halving.Rule{
		Test: func(ctx context.Context, set []int) (bool, error) {
			return t.passes(ctx, append(slices.Clone(passing), set...))
		},
		Take: func(_ context.Context, set []int) error {
			passing = append(passing, set...)
			t.out.Passing = text.Each(passing, func(i int) string { return t.out.Parties[i].Name })
			return nil
		},
		Leave: func(ctx context.Context, culprit int) error { return t.explain(ctx, culprit, slices.Clone(passing)) },
	}.Separate(ctx, len(t.parties))
}

// explain names the smallest set that fails with a culprit, which is known to fail on top of those that pass.
func (t *trying) explain(ctx context.Context, culprit int, passing []int) error {
	set, err := halving.Smallest(ctx, culprit, passing, t.passes)
	if err != nil {
		return err
	}
	v, err := t.verdict(ctx, set)
	if err == nil && (v == nil || v.Green) { // the failure needs more of the passing parties than Smallest found
		set = append(passing, culprit)
		v, err = t.verdict(ctx, set)
	}
	if err != nil || v == nil {
		return err
	}
	f := Failure{Command: redact.Clean(v.Command), How: v.How, Lines: v.Lines, Log: v.Log, Tests: FailedTests(v.Log, v.Lines), Alone: len(set) > 1}
	for _, i := range set {
		f.Parties = append(f.Parties, t.out.Parties[i])
		if len(set) > 1 && f.Alone {
			if f.Alone, err = t.passes(ctx, []int{i}); err != nil {
				return err
			}
		}
	}
	t.out.Failures = append(t.out.Failures, f)
	return nil
}

// passes reports whether parties pass together by themselves. Parties that do not merge without others count as passing: the gate has no
// verdict on them.
func (t *trying) passes(ctx context.Context, set []int) (bool, error) {
	v, err := t.verdict(ctx, set)
	return v == nil || v.Green, err
}

// verdict returns the gate's verdict on some parties merged, kept or by running it; nil when they do not merge without others.
func (t *trying) verdict(ctx context.Context, set []int) (*verdict.Verdict, error) {
	commit, tree, err := t.build(ctx, set)
	if err != nil || tree == "" {
		return nil, err
	}
	if v := t.verdicts[tree]; v != nil {
		return v, nil
	}
	if !t.o.Again {
		v, err := t.Landings.Verdicts().Find(ctx, t.r.ID, tree, t.key)
		if err != nil || v != nil {
			t.verdicts[tree] = v
			return v, err
		}
	}
	v, err := t.runGate(ctx, commit, tree)
	if err != nil {
		return nil, err
	}
	t.verdicts[tree] = v
	return v, t.Landings.Verdicts().Keep(ctx, t.r.ProjectID, t.r.ID, *v)
}

// runGate runs the gate on a checkout of a commit.
func (t *trying) runGate(ctx context.Context, commit, tree string) (*verdict.Verdict, error) {
	c, err := t.at(ctx, commit)
	if err != nil {
		return nil, err
	}
	log, err := runlog.Create(t.Home, "trial-"+t.r.UID, runlog.Gate)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	log.Hide(t.judgement.Secrets...)
	gate := t.judgement.Gate
	gate.Env = append(slices.Clone(gate.Env), "AGIT_COMMIT="+commit)
	t.out.Runs++
	began := time.Now()
	outcome, err := gate.Run(ctx, verdict.Job{Run: t.run(), Dir: c.dir, Git: t.g, Repo: t.r.UID, What: "all of it together", Log: log, Gentle: true, Running: t.o.Running})
	if err != nil {
		return nil, err
	}
	return &verdict.Verdict{Tree: tree, Key: t.key, Green: outcome.Green, Command: outcome.Command, How: outcome.How, Lines: outcome.Lines,
		Log: log.Path, Took: time.Since(began), At: timestamp.Of(time.Now())}, nil
}

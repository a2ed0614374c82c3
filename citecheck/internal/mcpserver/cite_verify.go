package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type verifyInput struct {
	Memory string `json:"memory" desc:"Id, file or key" is:"name"`
	Prose  bool   `json:"prose,omitempty" desc:"Count path:line in text"`
	At     string `json:"at,omitempty" desc:"Revision" is:"name"`
	in
}

// verdictOutput is what an agent needs before it acts on a memory.
type verdictOutput struct {
	ID         string               `json:"memory_id"`
	Key        string               `json:"key,omitempty"`
	State      string               `json:"state"`
	Valid      bool                 `json:"valid"`
	Confidence *float64             `json:"confidence"`
	Total      int                  `json:"total_citations"`
	ValidCount int                  `json:"valid_count"`
	Stale      []check.Citation     `json:"stale_citations"`
	Unsure     []check.Citation     `json:"unverifiable,omitempty"`
	Prose      int                  `json:"in_prose,omitempty"` // references that do not count
	Problems   []memoryfile.Problem `json:"problems,omitempty"`
}

// verdict returns a memory's report in its shortest form.
func verdict(m check.Memory, most int) verdictOutput {
	m = brief(m, most)
	return verdictOutput{m.ID, m.Key, m.State, m.Valid, m.Confidence, m.Total, m.ValidCount, m.Stale, m.Unverifiable, m.Prose, m.Problems}
}

func addVerify(s *service) {
	offer(s, mcpkit.Tool{
		Name: "cite_verify", ReadOnly: true,
		Description: "Check a memory's citations before acting on it.",
	}, stores.Kept, func(ctx context.Context, c *mcpkit.Call, in verifyInput, st *stores.Stores) (verdictOutput, error) {
		sum, err := st.Checks.VerifyNamed(ctx, []string{in.Memory}, check.Options{Prose: in.Prose, At: in.At})
		if err != nil {
			return verdictOutput{}, err
		}
		m := sum.Memories[0]
		c.Summarize(m.State)
		return verdict(m, 200), nil
	})
}

type verifyAllInput struct {
	Since    string `json:"since,omitempty" desc:"Revision: only into files changed since" is:"name"`
	Prose    bool   `json:"prose,omitempty"`
	Registry bool   `json:"registry,omitempty" desc:"memoryd's memories too"`
	At       string `json:"at,omitempty" is:"name"`
	After    string `json:"after,omitempty" desc:"next of the page before"`
	in
}

// verifyAllOutput is a page of the memories that need care.
type verifyAllOutput struct {
	Total     int                    `json:"total"`
	Stale     int                    `json:"stale"`
	Unsure    int                    `json:"unverified"`
	Citations int                    `json:"citations"`
	Verdicts  map[verify.Verdict]int `json:"verdicts"`
	Low       int                    `json:"low_certainty,omitempty"`
	Memories  []verdictOutput        `json:"memories"`
	Next      string                 `json:"next,omitempty"`
}

func addVerifyAll(s *service) {
	offer(s, mcpkit.Tool{
		Name: "cite_verify_all", ReadOnly: true,
		Description: "Check every memory; lists the stale and unverifiable.",
	}, stores.Kept, func(ctx context.Context, c *mcpkit.Call, in verifyAllInput, st *stores.Stores) (verifyAllOutput, error) {
		files, err := st.Checks.Lib.Entries()
		if err != nil {
			return verifyAllOutput{}, err
		}
		// When no memory is a file, all memories are memoryd's.
		o := check.Options{Prose: in.Prose, Since: in.Since, At: in.At, Registry: (in.Registry || len(files) == 0) && st.History != nil}
		sum, err := st.Checks.VerifyAll(ctx, o)
		if err != nil {
			return verifyAllOutput{}, err
		}
		c.Summarize(fmt.Sprintf("%d of %d stale, %d unverified", sum.Stale, sum.Total, sum.Unverified))
		return page(*sum, in.After), nil
	})
}

// page keeps the memories that need care, after the one given.
func page(sum check.Summary, after string) verifyAllOutput {
	out := verifyAllOutput{
		Total: sum.Total, Stale: sum.Stale + sum.Unreadable, Unsure: sum.Unverified, Citations: sum.Citations,
		Verdicts: sum.Verdicts, Low: sum.Low, Memories: []verdictOutput{},
	}
	slices.SortFunc(sum.Memories, func(a, b check.Memory) int { return strings.Compare(a.ID, b.ID) })
	for _, m := range sum.Memories {
		switch {
		case m.State != check.StateStale && m.State != check.StateUnreadable && len(m.Unverifiable) == 0, m.ID <= after:
		case len(out.Memories) == memoriesPage:
			out.Next = out.Memories[memoriesPage-1].ID
			return out
		default:
			out.Memories = append(out.Memories, verdict(m, citationsPage))
		}
	}
	return out
}

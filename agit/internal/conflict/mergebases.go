package conflict

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// ancestry finds the merge bases of any two of many states from one reading of the commits concerned.
type ancestry struct {
	tips  map[string]int // bit of each requested commit
	nodes []node         // every commit before its parents
	words int
	known map[[2]string][]string
	ask   func(a, b []string) ([]string, error) // for tips that share no history
}

// node is a commit with the tips it can be reached from.
type node struct {
	oid     string
	parents []int // indexes of the parents in the region
	reach   []uint64
}

// newAncestry reads the commits between the given ones and a commit that they all come from. Commits before that one are not a best common
// ancestor of any two.
func newAncestry(ctx context.Context, repo *git.Repo, commits []string) (*ancestry, error) {
	h := &ancestry{tips: map[string]int{}, known: map[[2]string][]string{}}
	var unique []string
	for _, c := range commits {
		if _, ok := h.tips[c]; !ok {
			h.tips[c] = len(unique)
			unique = append(unique, c)
		}
	}
	h.words = (len(unique) + 63) / 64
	h.ask = func(a, b []string) ([]string, error) { return askBases(ctx, repo, a, b) }
	if len(unique) < 2 {
		for _, c := range unique {
			h.nodes = []node{{oid: c}}
		}
		h.spread()
		return h, nil
	}
	root, err := repo.Run(ctx, append([]string{"merge-base", "--octopus"}, unique...)...)
	if git.NoMergeBase(err) {
		return h, nil // asked one by one
	}
	if err != nil {
		return nil, git.Fault(err, "find what the worktrees have in common")
	}
	o := git.Options{Stdin: strings.NewReader(strings.Join(unique, "\n") + "\n^" + root + "\n")}
	out, err := repo.Output(ctx, o, "rev-list", "--topo-order", "--parents", "--stdin")
	if err != nil {
		return nil, git.Fault(err, "find what the worktrees have in common")
	}
	h.read(string(out), root)
	h.spread()
	return h, nil
}

// read takes the lines "commit parent…", children first.
func (h *ancestry) read(out, root string) {
	index := map[string]int{}
	var parents [][]string
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		index[f[0]] = len(h.nodes)
		h.nodes = append(h.nodes, node{oid: f[0]})
		parents = append(parents, f[1:])
	}
	index[root] = len(h.nodes)
	h.nodes = append(h.nodes, node{oid: root})
	for i, list := range parents {
		for _, p := range list {
			if at, ok := index[p]; ok {
				h.nodes[i].parents = append(h.nodes[i].parents, at)
			}
		}
	}
}

// spread computes for every commit the tips it is reached from.
func (h *ancestry) spread() {
	for i := range h.nodes {
		n := &h.nodes[i]
		if n.reach == nil {
			n.reach = make([]uint64, h.words)
		}
		if bit, ok := h.tips[n.oid]; ok {
			n.reach[bit/64] |= 1 << (bit % 64)
		}
		for _, p := range n.parents {
			if h.nodes[p].reach == nil {
				h.nodes[p].reach = make([]uint64, h.words)
			}
			for w := range n.reach {
				h.nodes[p].reach[w] |= n.reach[w]
			}
		}
	}
}

// bases returns the merge bases of two states. Each state is given by the parents that a commit of it would have. The result is empty when
// they share no history.
func (h *ancestry) bases(a, b []string) ([]string, error) {
	key := [2]string{strings.Join(a, " "), strings.Join(b, " ")}
	if key[0] > key[1] {
		key[0], key[1] = key[1], key[0]
	}
	if found, ok := h.known[key]; ok {
		return found, nil
	}
	found, err := h.find(a, b)
	if err == nil {
		h.known[key] = found
	}
	return found, err
}

// base returns the merge base of a state with the tip of the default branch, and the state's own commit where there is none. h may be nil
// without a tip.
func (h *ancestry) base(commits []string, tip string) (string, error) {
	if len(commits) == 0 {
		return "", nil
	}
	if tip == "" {
		return commits[0], nil
	}
	bases, err := h.bases(commits, []string{tip})
	if err != nil || len(bases) == 0 {
		return commits[0], err
	}
	return bases[0], nil
}

func (h *ancestry) find(a, b []string) ([]string, error) {
	if len(a) == 0 || len(b) == 0 {
		return nil, nil
	}
	if len(h.nodes) == 0 {
		return h.ask(a, b)
	}
	inA, inB := h.mask(a), h.mask(b)
	var best []string
	covered := make([]bool, len(h.nodes)) // reached from a common commit, so not a best one
	for i := range h.nodes {
		n := &h.nodes[i]
		if !covered[i] && !(meets(n.reach, inA) && meets(n.reach, inB)) {
			continue
		}
		if !covered[i] {
			best = append(best, n.oid)
		}
		for _, p := range n.parents {
			covered[p] = true
		}
	}
	return best, nil
}

func (h *ancestry) mask(commits []string) []uint64 {
	mask := make([]uint64, h.words)
	for _, c := range commits {
		bit := h.tips[c]
		mask[bit/64] |= 1 << (bit % 64)
	}
	return mask
}

func meets(a, b []uint64) bool {
	for i := range a {
		if a[i]&b[i] != 0 {
			return true
		}
	}
	return false
}

// askBases asks git for the best common commits of two lists of parents.
func askBases(ctx context.Context, repo *git.Repo, a, b []string) ([]string, error) {
	var all []string
	for _, x := range a {
		for _, y := range b {
			out, err := repo.Run(ctx, "merge-base", "--all", x, y)
			if git.NoMergeBase(err) {
				continue
			}
			if err != nil {
				return nil, git.Fault(err, "find what two worktrees have in common")
			}
			for oid := range strings.FieldsSeq(out) {
				all = including(all, oid)
			}
		}
	}
	return all, nil
}

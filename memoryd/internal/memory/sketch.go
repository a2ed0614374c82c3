package memory

import (
	"cmp"
	"encoding/hex"
	"hash/fnv"
	"slices"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text/words"
)

// Near duplicates are found by minimum hashes (A. Broder, "On the resemblance and containment of documents", 1997): the probability that
// two texts agree on the smallest hash of their words is the share of words in common. Of four pairs of hashes, at least one is equal with
// 98 % for texts that share eight words in ten, and with 68 % for texts that share half. The words really shared are counted then.
const (
	sketches     = 4
	perSketch    = 2
	similarFrom  = 0.6  // share of words in common from which texts are reported as similar
	mostAlike    = 0.99 // of texts that are not the same, though their words may be: "x = 5" and "x != 5"
	similarLimit = 3
	leastWords   = 4 // a text with fewer words is not distinctive enough
)

// sketchesOf returns the keys that near duplicates of a text share with it; none for a text of a few words.
func sketchesOf(content string) []string {
	set := wordSet(content)
	if len(set) < leastWords {
		return nil
	}
	var least [sketches * perSketch]uint64
	for i := range least {
		least[i] = ^uint64(0)
	}
	for word := range set {
		h := fnv.New64a()
		h.Write([]byte(word)) // never fails
		sum := h.Sum64()
		for i := range least {
			least[i] = min(least[i], mix(sum+uint64(i)*0x9e3779b97f4a7c15))
		}
	}
	out := make([]string, sketches)
	for i := range out {
		var b [9]byte
		b[0] = byte(i)
		sum := mix(least[2*i]) ^ mix(least[2*i+1]+1)
		for j := range 8 {
			b[1+j] = byte(sum >> (8 * j))
		}
		out[i] = hex.EncodeToString(b[:7])
	}
	return out
}

// mix is the finalizer of splitmix64 (Steele, Lea, Flood, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, t := range words.Terms(s) {
		if !t.Whole {
			set[t.Text] = true
		}
	}
	return set
}

// alike returns the share of words that two texts have in common, 0 to 1.
func alike(a, b map[string]bool) float64 {
	common := 0
	for word := range a {
		if b[word] {
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// similar returns the current memories of a project with nearly the same text, the most similar first.
func similar(tx *registry.Tx, projectID, except int64, content string) ([]Similar, error) {
	type row struct {
		Similar
		content string
		id      int64
	}
	own, hash := wordSet(content), ContentHash(content)
	// Limits, since a text that everyone repeats needs no longer list.
	const which = `SELECT m.id, m.ref, m.type, m.key, m.content FROM memories m WHERE m.id IN `
	const lasts = ` AND (expires_at IS NULL OR expires_at > ?)`
	query := which + `(SELECT id FROM memories WHERE project_id = ? AND content_hash = ? AND ` + live + lasts + ` LIMIT 6)`
	args := []any{projectID, hash, tx.Stamp()}
	if sketches := sketchesOf(content); len(sketches) > 0 {
		marks, listed := many(sketches)
		query += ` UNION SELECT m.id, m.ref, m.type, m.key, m.content FROM memory_sketches s CROSS JOIN memories m
			WHERE s.sketch IN ` + marks + ` AND m.id = s.memory_id AND m.project_id = ? AND m.archived_at IS NULL AND m.superseded_by IS NULL` + lasts + ` LIMIT 80`
		args = append(append(args, listed...), projectID, tx.Stamp())
	}
	found, err := registry.Collect(tx, func(r registry.Scanner) (x row, err error) {
		return x, r.Scan(&x.id, &x.ID, &x.Type, &x.Key, &x.content)
	}, query, args...)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(x row) bool { return x.id == except })
	out := []Similar{}
	for _, x := range found {
		if x.Similarity, x.same = 1, ContentHash(x.content) == hash; !x.same {
			x.Similarity = min(rounded(alike(own, wordSet(x.content))), mostAlike)
		}
		if x.Similarity >= similarFrom {
			out = append(out, x.Similar)
		}
	}
	slices.SortStableFunc(out, func(a, b Similar) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return out[:min(len(out), similarLimit)], nil
}

package forge

import "fmt"

// Stands describes the state of a pull request in a few words: "pull request #12 waits for checks".
func (p PullRequest) Stands() string {
	waits := "waits to be merged"
	switch {
	case p.State == Merged:
		waits = "was merged"
	case p.State == Closed:
		waits = "was closed without a merge"
	case p.Checks == ChecksFailed:
		waits = "has checks that failed"
	case p.Mergeable == MergeConflicts:
		waits = "conflicts with " + p.Target
	case p.Review == ReviewChanges:
		waits = "has a review that wants changes"
	case p.Checks == ChecksRunning, p.Checks == "" && (p.Mergeable == "" || p.Mergeable == MergeUnknown): // just pushed: the forge has not begun
		waits = "waits for checks"
	case p.Draft:
		waits = "is a draft"
	case p.Review == ReviewRequired:
		waits = "waits for a review"
	}
	return fmt.Sprintf("pull request #%d %s", p.Number, waits)
}

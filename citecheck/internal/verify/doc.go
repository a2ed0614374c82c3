// Package verify says whether what a memory cites is still in the code, and
// where it went.
//
// A Checker looks at one state of one folder: the working tree, the index or a
// commit. Verify climbs a ladder: the text at its line, the line followed by a
// line map from the commit that the citation was recorded at, the text once in
// the file, the file's new name in git, the text once in the repository, and at
// last the most similar text, which is a suggestion and never a proof. It works
// with git and without, in shallow clones, sparse checkouts, submodules and
// linked worktrees; what cannot be known there is Unverifiable, not wrong.
//
// The package reads code and nothing else: it never reads outside the folder's
// repository (also not through symbolic links, devices or git's own folder),
// never writes, prints nothing, and knows neither memories nor the registry.
// A Checker is safe for concurrent use.
package verify

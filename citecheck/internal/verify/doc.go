// Package verify determines whether the text that a memory cites is still in the code, and where it moved.
//
// A Checker looks at one state of one folder: the working tree, the index or a commit. Verify climbs a ladder, and stops at the first rung
// that is sure:
//
//   - the text at its line, when no commit is recorded and it occurs only there, or when a neighbouring line that the citation names is
//     there too;
//   - the line followed by one comparison from a commit: the recorded one, else the one that wrote the citation, else the newest one at
//     which the text was at the line, or, when different lines were, one at which the memory's other citations were right;
//   - when that leaves a doubt, the line followed version by version, from file to file, through uncommitted changes;
//   - the file's new name in git;
//   - the text that occurs once in its file then and now, however it got there;
//   - the text that occurs once in the repository;
//   - the most similar text, which is a suggestion and never a proof.
//
// It works with git and without, in shallow clones, sparse checkouts, submodules and linked worktrees. A citation that they
// cannot settle is Unverifiable, not wrong.
//
// The package only reads code: it never reads outside the folder's repository (also not through symbolic links, devices or git's own
// folder), never writes, prints nothing, and knows neither memories nor the registry. A Checker is safe for concurrent use.
//
// Where to look:
//
//   - input and output: citation.go; the states: checker.go, state.go, workingtree.go, gittree.go
//   - the order of the ladder: verify.go; one citation on it: job.go; its quoted text: snippet.go
//   - the text at its line, or once in its file: textalone.go, onceinfile.go, linesbeside.go (lines around it)
//   - one comparison from a commit: followline.go over filepair.go; which commit: history.go, source.go (the one that wrote the citation),
//     lastright.go (the newest with the text at the line), together.go (one at which all citations of a memory were right)
//   - version by version: trace.go, filelog.go (the versions), leftfile.go (lines that moved to other files)
//   - the file's new name: newname.go; the text anywhere: textsearch.go, similar.go (a suggestion)
//   - the names that a memory uses for a place, as evidence against it: nameselsewhere.go
//
// Package textfile splits files into lines, linemap compares two files line by line, fuzzy two lines letter by letter.
package verify

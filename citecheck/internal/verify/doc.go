// Package verify says whether what a memory cites is still in the code, and
// where it went.
//
// A Checker looks at one state of one folder: the working tree, the index or a
// commit. Verify climbs a ladder, and stops at the first rung that is sure:
//
//   - the text at its line, where no commit is recorded and it stands there alone, or
//     where a line beside it that the citation names stands;
//   - the line followed by one comparison from the recorded commit, else from the
//     commit that wrote the citation, else from the newest one at which the text
//     stood at the line, or, where different lines did, from one at which the memory's
//     other citations were right;
//   - where that leaves a doubt, the line followed version by version, from file
//     to file, through what is not committed yet;
//   - the file's new name in git;
//   - the text once in its file then and now, however it got there;
//   - the text once in the repository;
//   - the most similar text, which is a suggestion and never a proof.
//
// It works with git and without, in shallow clones, sparse checkouts, submodules
// and linked worktrees; what cannot be known there is Unverifiable, not wrong.
//
// The package reads code and nothing else: it never reads outside the folder's
// repository (also not through symbolic links, devices or git's own folder),
// never writes, prints nothing, and knows neither memories nor the registry.
// A Checker is safe for concurrent use.
//
// Where to look:
//
//   - what goes in and comes out: citation.go; the states: checker.go, state.go, workingtree.go, gittree.go, path.go
//   - the order of the ladder: verify.go; one citation on it: job.go; what it quotes: snippet.go, redacted.go
//   - the text at its line, or once in its file: textalone.go, onceinfile.go, linesbeside.go (lines around it)
//   - one comparison from a commit: followline.go over filepair.go; which commit: history.go, source.go (the one that wrote the citation), addedonce.go (one commit
//     wrote the file), lastright.go (the newest at which the text stood there), together.go (one at which all of a memory was right)
//   - version by version: trace.go, filelog.go (the versions), leftfile.go (lines that went to other files), traceend.go
//   - the file's new name: newname.go; the text anywhere: textsearch.go, similar.go (a suggestion)
//   - what a memory says of a place, against it: nameselsewhere.go
//
// Package textfile makes lines of bytes, linemap compares two files line by line, fuzzy two lines letter by letter.
package verify

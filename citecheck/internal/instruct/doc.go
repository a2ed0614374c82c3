// Package instruct checks the instructions for agents in a repository: instruction files of their clients (CLAUDE.md, AGENTS.md, rules),
// the files that those import, a client's memories of the project, and on request Markdown documents.
//
// References are read from the texts (paths, links, imports, commands, symbols). Rules judge each against the files of the working tree,
// and a missing target is looked up in git's history. Reports are few and sure: in doubt a reference is passed over, with the reason. Only
// Fix writes, and only names of files that git saw renamed. A Checker is used by one run.
package instruct

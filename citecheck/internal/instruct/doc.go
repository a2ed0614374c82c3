// Package instruct checks what agents are told about a repository: instruction files
// of their clients (CLAUDE.md, AGENTS.md, rules), what those import, a client's
// memories of the project, and Markdown documents where they are asked for.
//
// References are read from the texts (paths, links, imports, commands, symbols), each
// is judged by rules against the files of the working tree, and what is missing is
// looked up in git's history. Reports are few and sure: a doubt passes a reference
// over, with its reason. Only Fix writes, and only names of files that git saw renamed.
// A Checker is used by one run.
package instruct

// Package mcpserver is citecheck's MCP server: its tools, and the resources for a
// memory and for the health of all. Tools are thin faces of internal/check, as
// the command line is; they hold no SQL and never run citecheck again. What every
// server is made of is in shared/mcpkit and shared/mcpkit/server.
package mcpserver

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit/server"
)

// The instructions are sent to the model in every conversation, which pays for them.
const (
	instructions = `citecheck says whether what a memory says about the code is still true.
Before acting on a memory: cite_verify. Believe valid citations, follow found_path and found_line of moved ones, and read the code again where one is changed or gone.
When you write one: cite_add cites the lines it rests on.`
	readInstructions = `citecheck says whether what a memory says about the code is still true.
Before acting on a memory: cite_verify. Believe valid citations, follow found_path and found_line of moved ones, and read the code again where one is changed or gone.`
)

// hints replaces the commands in hints of internal/check by tools.
var hints = strings.NewReplacer(
	"`citecheck health` lists the memories", "cite_search finds the memories",
	", or name the folder of your memories with --dir; `citecheck` alone checks the instructions for agents here", "; its folder is set by citecheck.dir in .agit.toml; cite_health checks the instructions for agents here",
	", or name the folder of your memories with --dir", "; its folder is set by citecheck.dir in .agit.toml",
	"; `citecheck verify-all --registry` checks the memories of memoryd, and `memoryd update KEY --cite PATH:LINE` changes one",
	"; memoryd's memories are named by id or key, checked by cite_verify_all with registry, and changed by memory_update",
	"name the folder of your memories with --dir", "set its folder by citecheck.dir in .agit.toml",
)

// reciting matches the command that replaces the citations of memoryd's memories.
var reciting = regexp.MustCompile("`memoryd update (\\S+) --cite PATH:LINE`, once for each place that it cites")

// forTools rewrites a hint that names commands for tools.
func forTools(hint string) string {
	return reciting.ReplaceAllString(hints.Replace(hint), "memory_update $1 with all citations that it is to have")
}

// Server is the server that `citecheck serve` starts. It opens the registry on the first call that needs it; a read creates none.
var Server = server.Spec[*service]{
	Name: "citecheck", Port: stores.Port, Instructions: instructions, ReadOnlyInstructions: readInstructions,
	Core: []string{"cite_verify", "cite_add"},
	Hint: forTools, Readers: 2,
	Open: func(_ context.Context, b *server.Base) (*service, error) {
		return &service{Base: b, now: time.Now}, nil
	},
	Offers: []func(*service){
		addVerify, addVerifyAll, addAdd, addGraph, addRelated, addHealth, addSearch, addConfirm, addFix, addAdopt, addDiff, addHistory, addResources,
	},
}

// service holds the dependencies of the tools.
type service struct {
	*server.Base
	now func() time.Time
}

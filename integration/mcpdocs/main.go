// Command mcpdocs prints the offer of one of the suite's MCP servers as a page of Markdown: `mcpdocs BIN/agit` starts `agit serve` with
// a new registry and queries it with the official Go SDK's client, so that the page shows what clients see. The output depends only on
// the server. scripts/docs runs it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: mcpdocs BINARY")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mcpdocs:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to cancel
	}
}

// run prints the page of a binary's server.
func run(ctx context.Context, binary string, out io.Writer) error {
	home, err := os.MkdirTemp("", "mcpdocs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	core, err := ask(ctx, binary, home, "--tools", "core")
	if err != nil {
		return fmt.Errorf("ask for the core tools: %w", err)
	}
	all, err := ask(ctx, binary, home)
	if err != nil {
		return err
	}
	p := page{offer: all, core: map[string]bool{}}
	for _, t := range core.tools {
		p.core[t.Name] = true
	}
	_, err = io.WriteString(out, p.markdown())
	return err
}

// offer is everything that a server lists.
type offer struct {
	server    *mcp.InitializeResult
	tools     []*mcp.Tool
	resources []*mcp.Resource
	templates []*mcp.ResourceTemplate
	prompts   []*mcp.Prompt
}

// ask starts a server and lists what it offers.
func ask(ctx context.Context, binary, home string, args ...string) (offer, error) {
	var o offer
	cmd := exec.CommandContext(ctx, binary, append([]string{"--log-level", "error", "serve"}, args...)...)
	cmd.Env = append(os.Environ(), "AGIT_HOME="+filepath.Join(home, ".agit"), "AGIT_DB=", "HOME="+home)
	cmd.Dir = home
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "mcpdocs", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return o, fmt.Errorf("connect to %s: %w", binary, err)
	}
	defer session.Close()
	o.server = session.InitializeResult()
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return o, fmt.Errorf("list the tools: %w", err)
		}
		o.tools = append(o.tools, tool)
	}
	for r, err := range session.Resources(ctx, nil) {
		if err != nil {
			return o, fmt.Errorf("list the resources: %w", err)
		}
		o.resources = append(o.resources, r)
	}
	for r, err := range session.ResourceTemplates(ctx, nil) {
		if err != nil {
			return o, fmt.Errorf("list the resource templates: %w", err)
		}
		o.templates = append(o.templates, r)
	}
	for prompt, err := range session.Prompts(ctx, nil) {
		if err != nil {
			return o, fmt.Errorf("list the prompts: %w", err)
		}
		o.prompts = append(o.prompts, prompt)
	}
	return o, nil
}

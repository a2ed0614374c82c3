package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// The transports of serve.
const (
	Stdio = "stdio"
	HTTP  = "http"
	SSE   = "sse"
)

func transports() []string { return []string{Stdio, HTTP, SSE} }

// ServeOptions are the flags of serve. The binary that people type checks them and passes them on; its companion, which links the MCP
// library, reads the same flags again.
type ServeOptions struct {
	Transport string
	Port      int      // as given; 0 takes any free one
	Tools     []string // names, or "core"; empty means all
	ReadOnly  bool

	portGiven   bool
	defaultPort int
}

func (o *ServeOptions) bind(f *pflag.FlagSet, defaultPort int) {
	o.defaultPort = defaultPort
	f.StringVar(&o.Transport, "transport", Stdio, "`transport`: stdio, http or sse")
	f.IntVar(&o.Port, "port", 0, fmt.Sprintf("`port` on 127.0.0.1 for http and sse, 0 for any free one; without it server.port, else %d", defaultPort))
	f.StringSliceVar(&o.Tools, "tools", nil, "offer only these `tools`, separated by commas; core is the small set")
	f.BoolVar(&o.ReadOnly, "read-only", false, "offer only tools that change nothing")
}

// check refuses options that no server can serve.
func (o *ServeOptions) check(g Given) error {
	o.portGiven = g.Changed("port")
	if !slices.Contains(transports(), o.Transport) {
		return fault.Validation("transport", "%q is not a transport", o.Transport).
			WithHint("use one of %s", strings.Join(transports(), ", "))
	}
	if o.Port < 0 || o.Port > 65535 {
		return fault.Validation("port", "%d is not a port", o.Port).WithHint("use a number from 1 to 65535, or 0 for any free one")
	}
	if o.Transport == Stdio && o.portGiven {
		return fault.Validation("port", "--port means nothing over stdio").WithHint("add --transport http")
	}
	for _, name := range o.Tools {
		if strings.TrimSpace(name) == "" {
			return fault.Validation("tools", "--tools holds an empty name").WithHint("separate names by single commas")
		}
	}
	return nil
}

// args returns the options as flags for the companion.
func (o *ServeOptions) args() []string {
	args := []string{"--transport=" + o.Transport}
	if o.portGiven {
		args = append(args, "--port="+strconv.Itoa(o.Port))
	}
	if len(o.Tools) > 0 {
		args = append(args, "--tools="+strings.Join(o.Tools, ","))
	}
	if o.ReadOnly {
		args = append(args, "--read-only")
	}
	return args
}

// ListenPort returns the port to listen on: the flag, else server.port of the configuration, else the binary's own.
func (o *ServeOptions) ListenPort(configured int) int {
	switch {
	case o.portGiven:
		return o.Port
	case configured != 0:
		return configured
	}
	return o.defaultPort
}

// Args returns the global flags that concern another process of the suite, as given.
func (g *Globals) Args() []string {
	var args []string
	for _, flag := range []struct{ name, value string }{{"db", g.DB}, {"config", g.Config}, {"log-level", g.LogLevel}} {
		if flag.value != "" {
			args = append(args, "--"+flag.name+"="+flag.value)
		}
	}
	if g.Quiet {
		args = append(args, "--quiet")
	}
	if g.Table {
		args = append(args, "--table")
	}
	if g.NoColor {
		args = append(args, "--no-color")
	}
	return args
}

// TokenFile returns the path of the token of HTTP servers, on systems that do not report which user a connection comes from.
func TokenFile(home string) string { return filepath.Join(home, "serve-token") }

// Listening prints where a server can be reached, and with which token.
func (e *Env) Listening(url, tokenFile string) {
	e.Streams.Notice("listening on %s", url)
	if tokenFile != "" {
		e.Streams.Notice("clients send `Authorization: Bearer` with the token in %q", tokenFile)
	}
}

type serveOptions struct {
	ServeOptions
	Companion string
	Globals   *Globals
	Environ   []string
	find      func(string) (string, error)
	exec      func(path string, args, env []string) error
}

// ServeCommand returns `serve`. It replaces this program by the companion program, NAME-mcp, which is the MCP server. Linking the server
// into the commands would cost each of them milliseconds at every start.
func ServeCommand(env *Env, defaultPort int) *cobra.Command {
	return newServe(env, defaultPort, runServe)
}

func newServe(env *Env, defaultPort int, run Func[serveOptions]) *cobra.Command {
	o := &serveOptions{Companion: env.Name + "-mcp", Globals: &env.Globals, Environ: env.Environ, find: sibling.Find, exec: sibling.Exec}
	cmd := Command(&cobra.Command{
		Use:   "serve",
		Short: "Serve MCP clients over stdio, HTTP or SSE",
		Long: `Serve the Model Context Protocol: over standard input and output for a client
that starts the server itself, or on 127.0.0.1 over Streamable HTTP (path /mcp)
or server-sent events (path /sse). Over HTTP it answers only the user who started
it: on Linux the system says whose a connection is, elsewhere clients send a
token, which stands in the file serve-token of AGIT_HOME (mode 0600), as
Authorization: Bearer. The server stops at the end of its input, or on SIGINT or
SIGTERM.`,
		Example: fmt.Sprintf("%[1]s serve\n%[1]s serve --transport http --port %[2]d\n%[1]s serve --tools core --read-only", env.Name, defaultPort),
	}, o, o.check, run)
	o.bind(cmd.Flags(), defaultPort)
	CompleteFlag(cmd, "transport", Words(transports()...))
	return cmd
}

func runServe(_ context.Context, o *serveOptions) error {
	path, err := o.find(o.Companion)
	if err != nil {
		return err
	}
	return o.exec(path, append(o.Globals.Args(), o.args()...), o.Environ)
}

// NewServer returns the root command of a companion program: the flags of serve and nothing else. Standard output belongs to the protocol,
// so run prints nothing there.
func NewServer(env *Env, short string, defaultPort int, run Func[ServeOptions]) *cobra.Command {
	o := &ServeOptions{}
	root := Command(NewRoot(env, short), o, func(g Given) error {
		if err := o.check(g); err != nil {
			return err
		}
		env.SetLogDefault("info")
		return nil
	}, run)
	root.Args = NoArgs
	o.bind(root.Flags(), defaultPort)
	CompleteFlag(root, "transport", Words(transports()...))
	return RunsAlone(root)
}

// NewProgram returns the root command of a program that a command starts, such as agit-web: the global flags, the flags that bind adds, and
// at most one argument.
func NewProgram(env *Env, short, argument string, bind func(*pflag.FlagSet), run func(ctx context.Context, args []string) error) *cobra.Command {
	var args []string
	root := Command(NewRoot(env, short), &args, TakeAll(&args), func(ctx context.Context, args *[]string) error { return run(ctx, *args) })
	root.Use += " [" + argument + "]"
	root.Args = Args("[" + argument + "]")
	bind(root.Flags())
	return RunsAlone(root)
}

// Become replaces this program by another of the suite, with args and the global flags as given. It returns only when that fails. A screen
// that has to restore the terminal needs a parent that stays: see Attend.
func (e *Env) Become(program string, args []string) error {
	path, err := sibling.Find(program)
	if err != nil {
		return err
	}
	return sibling.Exec(path, append(e.Globals.Args(), args...), e.Environ)
}

// Attend is Become for a program that draws on the terminal: this process stays, and restores the terminal however the program ends.
func (e *Env) Attend(program string, args []string) error {
	path, err := sibling.Find(program)
	if err != nil {
		return err
	}
	return sibling.Attend(path, append(e.Globals.Args(), args...), e.Environ)
}

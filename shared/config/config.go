// Package config gives every binary of the suite one typed configuration, made
// of layers. A later one wins:
//
//	built-in values
//	~/.config/semfora-pm/config.json   an existing semfora-pm user's own file
//	~/.agit/config.toml                the user's file; --config names another
//	.pm/config.json in the project     an existing semfora-pm project
//	.agit.toml in the project
//	AGIT_CFG_SECTION_KEY               environment; AGIT_DB for the registry
//	flags
//
// The source of each value is kept. A project's files come with a clone and
// are not trusted: the tag of a key holds what they may do to it (see Config), and
// hooks, hosts and folders take effect only once the user has trusted the very
// content (see Trust).
//
// This is the only importer of viper. It runs no command, opens no registry and
// prints nothing: messages for people are in Warnings. A loaded Config is
// read-only and safe for concurrent use; Set, Trust and Untrust may be called by
// several processes at once.
package config

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Config is the whole configuration. The tags are its schema: mapstructure is
// the key, doc its description, oneof the values allowed, and rule what a file
// that comes with a clone may do to it, which every key must say:
//
//	free      set it: no value of it loses or shows anything
//	more      raise it above the user's value, never lower it; with none:"0", 0 is
//	          the most
//	less      lower it, never raise it
//	on, off   turn it on, or off, only
//	inside    name a folder of the project, and none of git's
//	trust     set it, once the user has trusted the very content of the file
//	user      nothing
//	secret    nothing; it is never shown either
//
// Rules are joined by a space. The user's own files, the environment and flags
// may set every key.
type Config struct {
	MaxDatabaseSize Size `mapstructure:"max_database_size" rule:"user" doc:"size the registry may grow to, 1MB to 2GB"`

	Gate        []string      `mapstructure:"gate" rule:"trust" doc:"commands that must succeed on the merged state before a branch moves to it"`
	GateTimeout time.Duration `mapstructure:"gate_timeout" rule:"free" doc:"time limit of each command of the gate"`
	GateEnv     []string      `mapstructure:"gate_env" rule:"user" doc:"variables that gates and pre_merge hooks get beside those that are harmless; a name that ends with * is a beginning"`
	Aliases     []string      `mapstructure:"aliases" rule:"user" doc:"commands of your own, as \"NAME=COMMAND\"; none of the suite's is replaced"`
	GateCache   bool          `mapstructure:"gate_cache" rule:"off" doc:"take a tree that the gate passed within a day as passed again"`
	LandBatch   int           `mapstructure:"land_batch" rule:"free" doc:"most landings that one run of the gate judges together; 1 judges each alone"`
	Trial       string        `mapstructure:"trial" rule:"trust" oneof:"never idle" doc:"whether work tries everything in flight together between tasks"`
	TrialLimit  time.Duration `mapstructure:"trial_limit" rule:"less" doc:"how long a trial may take in all"`
	Land        string        `mapstructure:"land" rule:"trust" oneof:"never review gate pr" doc:"what finish does with work: keep it, leave it for review, merge it when the gate is green, or open a pull request"`
	Remote      string        `mapstructure:"remote" rule:"trust" doc:"git's name of the remote whose default branch work starts from and lands on, by a push; none for the branch here"`
	Share       string        `mapstructure:"share" rule:"trust" oneof:"never branches" doc:"whether the branches of agents are pushed to the remote for other machines to see, and theirs fetched"`
	RemoteWait  time.Duration `mapstructure:"remote_timeout" rule:"user" doc:"longest wait for an answer of the remote; a push may take ten times as long, since hooks of the remote may test it"`

	Database  Database  `mapstructure:"database"`
	Agent     Agent     `mapstructure:"agent"`
	Worktree  Worktree  `mapstructure:"worktree"`
	Hooks     Hooks     `mapstructure:"hooks"`
	Conflicts Conflicts `mapstructure:"conflicts"`
	Files     Files     `mapstructure:"files"`
	Forge     Forge     `mapstructure:"forge"`
	Citecheck Citecheck `mapstructure:"citecheck"`
	Server    Server    `mapstructure:"server"`
	Log       Log       `mapstructure:"log"`
	Logs      Logs      `mapstructure:"logs"`
	Work      Work      `mapstructure:"work"`
	Review    Review    `mapstructure:"review"`
	Sources   Sources   `mapstructure:"sources"`

	Provider  Provider  `mapstructure:"provider"`
	Providers Providers `mapstructure:"providers"`
	Sync      Sync      `mapstructure:"sync"`
	Memory    Memory    `mapstructure:"memory"`
	Recall    Recall    `mapstructure:"recall"`
	Session   Session   `mapstructure:"session"`
	Criteria  Criteria  `mapstructure:"acceptance_criteria"`

	// Repos are the [[repo]] tables, merged by name; ForRepo applies them.
	Repos []Repo `mapstructure:"repo"`

	source *source
}

// Database holds where the registry is. Load makes the path absolute.
type Database struct {
	Path string `mapstructure:"path" rule:"user" doc:"the registry's file, where a relative path starts at the home folder, or postgres://HOST/DATABASE; db for short"`

	// Server is the URL of the PostgreSQL database that is the registry; empty for a file. With a server, Path is where this host keeps its
	// own files. Load derives Server from Path.
	Server string
}

// Place returns the name of the registry for people: its file, or its URL without a password.
func (d Database) Place() string {
	if d.Server != "" {
		return WithoutPassword(d.Server)
	}
	return d.Path
}

// Exists reports whether the registry exists: its file does, or a server is configured, which is not asked. The error comes from looking
// for the file.
func (d Database) Exists() (bool, error) {
	if d.Server != "" {
		return true, nil
	}
	_, err := os.Stat(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Agent is when a silent agent counts as gone.
type Agent struct {
	StaleAfter   time.Duration `mapstructure:"stale_after" rule:"more" doc:"silence after which a sweep marks an agent disconnected"`
	ReleaseAfter time.Duration `mapstructure:"release_after" rule:"more" none:"0" doc:"silence after which its claims are free again; 0 is never"`
}

// Worktree is where worktrees go and how long they last.
type Worktree struct {
	Dir          string        `mapstructure:"dir" rule:"trust inside" doc:"folder of the worktrees, inside the repository unless the user's own file says otherwise"`
	BranchPrefix string        `mapstructure:"branch_prefix" rule:"free" doc:"start of the names of branches made by spawn"`
	StaleAfter   time.Duration `mapstructure:"stale_after" rule:"more" doc:"time without change after which a worktree is stale"`
	RestoreFor   time.Duration `mapstructure:"restore_for" rule:"more" doc:"how long a removed worktree can be restored"`
	PortBase     int           `mapstructure:"port_base" rule:"free" doc:"first port given to worktrees as AGIT_PORT"`
	PortCount    int           `mapstructure:"port_count" rule:"free" doc:"ports in each worktree's range"`
}

// Hooks are commands run by the shell, one after another.
type Hooks struct {
	PostSpawn []string      `mapstructure:"post_spawn" rule:"trust" doc:"commands run in a new worktree"`
	PreMerge  []string      `mapstructure:"pre_merge" rule:"trust" doc:"commands that must succeed on the merged tree"`
	Timeout   time.Duration `mapstructure:"timeout" rule:"free" doc:"time limit of each hook command"`
}

// Conflicts are the defaults of the conflicts command.
type Conflicts struct {
	Depth   string `mapstructure:"depth" rule:"free" oneof:"file lines uses merge" doc:"how closely changes are compared"`
	Workers int    `mapstructure:"workers" rule:"free" doc:"worktrees scanned at once; 0 chooses"`
	// Parties are patterns of remote-tracking branches that count in addition to those that cloud agents push.
	Parties []string `mapstructure:"parties" rule:"free" doc:"remote-tracking branches that take part in conflicts beside those of agents in the cloud, as origin/feat/*"`
	Clones  bool     `mapstructure:"clones" rule:"free" doc:"other registered clones of the project on this machine take part in conflicts"`
}

// Forge is where pull requests are opened.
type Forge struct {
	Kind string `mapstructure:"kind" rule:"user" oneof:"auto github gitlab azure" doc:"what runs at the remote's host; auto tells it by the host's name"`

	Interval  time.Duration `mapstructure:"interval" rule:"user" doc:"time between two looks at an open pull request that is followed; at least 10s"`
	Comments  string        `mapstructure:"comments" rule:"user" oneof:"writers all" doc:"whose comments on a pull request reach the agent: of people who may write to the repository, or all"`
	AutoMerge bool          `mapstructure:"auto_merge" rule:"trust" doc:"the forge merges pull requests by itself, once its rules are met"`
}

// Files is about files that agents announce.
type Files struct {
	ClaimTTL time.Duration `mapstructure:"claim_ttl" rule:"more" doc:"how long an announced file stays announced"`
}

// Sources are the settings for what is read from agents' clients.
type Sources struct {
	Off []string `mapstructure:"off" rule:"user" doc:"clients and programs whose files are not read, as claude-code or serena; sessions turns off those of all, memories all memories of other programs"`
}

// Citecheck is about memories in files.
type Citecheck struct {
	Dir string `mapstructure:"dir" rule:"inside" doc:"folder of the memories inside the project; empty finds .serena/memories"`
}

// Server is about serve.
type Server struct {
	Port       int           `mapstructure:"port" rule:"free" doc:"port of serve over HTTP; 0 is the binary's own"`
	FlushAfter time.Duration `mapstructure:"flush_after" rule:"less" doc:"how long memoryd serve keeps tracking records before it stores them together, at most 5s; 0 stores each at once"`
}

// Log is about the log lines on standard error.
type Log struct {
	Level string `mapstructure:"level" rule:"free" oneof:"debug info warn error" doc:"least important log line to print"`
}

// Logs are the settings for kept output of agents and gates.
type Logs struct {
	KeepFor time.Duration `mapstructure:"keep_for" rule:"more" none:"0" doc:"time after which a log of an agent or a gate is removed; 0 is never"`
	MaxSize Size          `mapstructure:"max_size" rule:"user" doc:"size of all such logs together, above which the oldest are removed"`
}

// Recall holds the settings for finding memories by meaning, in addition to their words.
type Recall struct {
	Embeddings       string        `mapstructure:"embeddings" rule:"user" doc:"endpoint of OpenAI's embeddings API that reads memories and questions, as http://127.0.0.1:11434/v1; empty is none"`
	EmbeddingsModel  string        `mapstructure:"embeddings_model" rule:"user" doc:"model that the endpoint runs"`
	EmbeddingsKey    Secret        `mapstructure:"embeddings_key" rule:"secret" doc:"key of the endpoint, where it wants one"`
	EmbeddingsRemote bool          `mapstructure:"embeddings_remote" rule:"user" doc:"whether the endpoint may be on another machine, which then gets what memories say"`
	EmbeddingsWait   time.Duration `mapstructure:"embeddings_wait" rule:"user" doc:"how long recall waits for the endpoint's answer"`
}

// Review holds the settings for work that waits for a person.
type Review struct {
	ByAgents bool `mapstructure:"by_agents" rule:"user" doc:"let agents, runs and MCP clients land and return what waits for a person"`
}

// Work holds the settings for agents that work without a person.
type Work struct {
	Client       string        `mapstructure:"client" rule:"user" doc:"client that work runs when neither --client nor a command is given"`
	Limit        time.Duration `mapstructure:"limit" rule:"trust" doc:"how long a client may take for a task; 0 is any time"`
	Idle         time.Duration `mapstructure:"idle" rule:"trust" doc:"how long it may print nothing and change no file; 0 is any time"`
	Attempts     int           `mapstructure:"attempts" rule:"trust" doc:"attempts at a task before it is reported as failed"`
	Allow        []string      `mapstructure:"allow" rule:"trust" doc:"rules for what agents may do, such as shell(make *), fetch(*.example.com), mcp(NAME)"`
	Ask          []string      `mapstructure:"ask" rule:"trust" doc:"rules for what a person is asked about, though the suite would allow it"`
	Deny         []string      `mapstructure:"deny" rule:"trust" doc:"rules for what agents may never do"`
	AskFor       time.Duration `mapstructure:"ask_for" rule:"trust" none:"0" doc:"how long an agent waits for a person's answer; 0 asks no one"`
	Sandbox      []string      `mapstructure:"sandbox" rule:"user" doc:"wall around agents and gates: bwrap, sandbox-exec, docker:IMAGE, none, or a command of your own as a list with {write}, {hide}, {dir}"`
	SandboxWrite []string      `mapstructure:"sandbox_write" rule:"user" doc:"further paths that can be written in the sandbox"`
	SandboxRead  []string      `mapstructure:"sandbox_read" rule:"user" doc:"paths that are shown in the sandbox though they would be hidden"`
	SandboxHide  []string      `mapstructure:"sandbox_hide" rule:"user" doc:"further paths that are hidden in the sandbox"`
	Budget       []string      `mapstructure:"budget" rule:"user" doc:"what agents of work may take, as 20usd/day or 2M tokens/task"`
	Prices       string        `mapstructure:"prices" rule:"user" doc:"file of JSON with prices of models, which replaces the built-in table; a relative path starts at the home folder"`
	Env          []string      `mapstructure:"env" rule:"user" doc:"variables that clients get beside those that are harmless; a name that ends with * is a beginning"`
}

// Default is the configuration without any file, variable or flag.
func Default() *Config {
	const day = 24 * time.Hour
	return &Config{
		MaxDatabaseSize: 512 << 20,
		GateTimeout:     30 * time.Minute, GateCache: true, LandBatch: 8, Trial: "never", TrialLimit: time.Hour, Land: "review", Remote: "none", Share: "never", RemoteWait: 30 * time.Second,
		Agent: Agent{StaleAfter: 5 * time.Minute, ReleaseAfter: 2 * time.Hour},
		Worktree: Worktree{Dir: ".worktrees", BranchPrefix: "agit/", StaleAfter: 7 * day, RestoreFor: 30 * day,
			PortBase: 20000, PortCount: 10},
		Hooks:     Hooks{Timeout: 10 * time.Minute},
		Conflicts: Conflicts{Depth: "merge", Clones: true},
		Forge:     Forge{Kind: "auto", Interval: time.Minute, Comments: "writers"},
		Files:     Files{ClaimTTL: 2 * time.Hour},
		Server:    Server{FlushAfter: 4500 * time.Millisecond}, // five seconds are promised, storing takes some
		Log:       Log{Level: "warn"},
		Logs:      Logs{KeepFor: 30 * day, MaxSize: 1 << 30},
		Work:      Work{Limit: 2 * time.Hour, Idle: 30 * time.Minute, Attempts: 3, AskFor: 30 * time.Minute},
		Provider:  Provider{Name: "local"},
		Sync: Sync{AutoPullOnSessionStart: true, AutoPullThresholdSeconds: 300, AutoPushOnSessionEnd: true,
			AutoPushOnStatusChange: true, PushDebounceSeconds: 5, QueueChangesWhenOffline: true,
			PullItemTypes: []string{"ticket", "sprint", "epic"}, MaxQueuedChanges: 100, RetryIntervalSeconds: 60},
		Recall:  Recall{EmbeddingsModel: "nomic-embed-text", EmbeddingsWait: 5 * time.Second},
		Memory:  Memory{DecayAfterDays: 30, DecayThreshold: 30, ImportanceThreshold: 2},
		Session: Session{AutoGenerateSummary: true, MaxEventsBeforeCompaction: 1000, WarnOnUnendedSession: true},
		Criteria: Criteria{AutoParse: true,
			Patterns: []string{"AC:", "Acceptance Criteria:", "- [ ]", "Given/When/Then"}},
		source: &source{},
	}
}

package config

// The sections of semfora-pm, with its key names.

// Provider holds which tracker a project's tickets are in, and the tracker's name for the project.
type Provider struct {
	Name         string `mapstructure:"name" rule:"free" oneof:"local linear jira asana azure_devops github" doc:"the project's tracker"`
	URL          string `mapstructure:"url" rule:"trust" doc:"where the tracker is (Jira)"`
	TeamID       string `mapstructure:"team_id" rule:"free" doc:"team of the project (Linear)"`
	ProjectKey   string `mapstructure:"project_key" rule:"free" doc:"key of the project (Jira)"`
	WorkspaceID  string `mapstructure:"workspace_id" rule:"free" doc:"workspace of the project (Asana)"`
	ProjectID    string `mapstructure:"project_id" rule:"free" doc:"the project (Asana, Linear)"`
	Organization string `mapstructure:"organization" rule:"trust" doc:"organization of the project (Azure DevOps)"`
	Project      string `mapstructure:"project" rule:"free" doc:"the project (Azure DevOps) or repository, as OWNER/NAME (GitHub)"`
	Board        string `mapstructure:"board" rule:"free" doc:"project of GitHub Projects, as OWNER/NUMBER, whose status, priority, iteration and points count (GitHub)"`
	Team         string `mapstructure:"team" rule:"free" doc:"team whose sprints count (Azure DevOps)"`

	// Settings that the tracker leaves open. They decide what is sent, so they need trust.
	StatusField   string   `mapstructure:"status_field" rule:"trust" doc:"field that holds the status: a custom one (Asana; empty takes the sections), or one of the board (GitHub; empty takes Status)"`
	PriorityField string   `mapstructure:"priority_field" rule:"trust" doc:"field that holds the priority: a custom one (Asana), or one of the board (GitHub; empty takes Priority)"`
	CategoryOf    []string `mapstructure:"category_of" rule:"trust" doc:"what states mean, each as \"STATE=todo\", in_progress, done or canceled"`
	StateFor      []string `mapstructure:"state_for" rule:"trust" doc:"state to go to where several fit, each as \"in_progress=STATE\""`
	PriorityOf    []string `mapstructure:"priority_of" rule:"trust" doc:"what priorities mean, each as \"PRIORITY=3\": 0 none to 4 urgent"`

	Fields []string `mapstructure:"fields" rule:"free" doc:"custom fields to read and show, by their names"`
}

// Providers are the user's credentials, never taken from a project. A ${VAR} in
// these fields is replaced from the environment. The _command fields are run by
// the shell to get the secret.
type Providers struct {
	Linear struct {
		APIKey        Secret `mapstructure:"api_key" rule:"secret" doc:"Linear API key"`
		APIKeyCommand string `mapstructure:"api_key_command" rule:"user" doc:"command that prints the API key"`
		URL           string `mapstructure:"url" rule:"user" doc:"where the key is sent, if not to Linear itself"`
	} `mapstructure:"linear"`
	Jira struct {
		URL             string `mapstructure:"url" rule:"user" doc:"the site the token is for"`
		Email           string `mapstructure:"email" rule:"user" doc:"account the token belongs to"`
		APIToken        Secret `mapstructure:"api_token" rule:"secret" doc:"Jira API token"`
		APITokenCommand string `mapstructure:"api_token_command" rule:"user" doc:"command that prints the token"`
	} `mapstructure:"jira"`
	Asana struct {
		AccessToken        Secret `mapstructure:"access_token" rule:"secret" doc:"Asana access token"`
		AccessTokenCommand string `mapstructure:"access_token_command" rule:"user" doc:"command that prints the token"`
		URL                string `mapstructure:"url" rule:"user" doc:"where the token is sent, if not to Asana itself"`
	} `mapstructure:"asana"`
	AzureDevOps struct {
		Organization string `mapstructure:"organization" rule:"user" doc:"the organization the token is for"`
		PAT          Secret `mapstructure:"pat" rule:"secret" doc:"Azure DevOps personal access token"`
		PATCommand   string `mapstructure:"pat_command" rule:"user" doc:"command that prints the token"`
		URL          string `mapstructure:"url" rule:"user" doc:"where the token is sent, if not to Azure DevOps itself"`
	} `mapstructure:"azure_devops"`
	GitHub struct {
		Token        Secret `mapstructure:"token" rule:"secret" doc:"GitHub token; else GITHUB_TOKEN, else that of gh"`
		TokenCommand string `mapstructure:"token_command" rule:"user" doc:"command that prints the token"`
		URL          string `mapstructure:"url" rule:"user" doc:"where the token is sent, if not to github.com: an Enterprise Server"`
	} `mapstructure:"github"`
}

// Sync is when tickets are pulled and pushed.
type Sync struct {
	AutoPullOnSessionStart   bool     `mapstructure:"auto_pull_on_session_start" rule:"off" doc:"pull when a session starts"`
	AutoPullThresholdSeconds int      `mapstructure:"auto_pull_threshold_seconds" rule:"free" doc:"age in seconds after which the last pull is too old"`
	AutoPushOnSessionEnd     bool     `mapstructure:"auto_push_on_session_end" rule:"off" doc:"push when a session ends"`
	AutoPushOnStatusChange   bool     `mapstructure:"auto_push_on_status_change" rule:"off" doc:"push when a ticket's status changes"`
	PushDebounceSeconds      int      `mapstructure:"push_debounce_seconds" rule:"free" doc:"seconds to wait for further changes before a push"`
	QueueChangesWhenOffline  bool     `mapstructure:"queue_changes_when_offline" rule:"on" doc:"keep changes until the tracker is reachable"`
	PullItemTypes            []string `mapstructure:"pull_item_types" rule:"free" doc:"what a pull brings"`
	MaxQueuedChanges         int      `mapstructure:"max_queued_changes" rule:"more" doc:"changes kept while offline"`
	RetryIntervalSeconds     int      `mapstructure:"retry_interval_seconds" rule:"more" doc:"seconds between attempts while offline"`
}

// Memory is how long-term memory fades.
type Memory struct {
	MaxItemsPerType       int  `mapstructure:"max_items_per_type" rule:"more" none:"0" doc:"memories kept of each type; 0 means no limit"`
	DecayAfterDays        int  `mapstructure:"decay_after_days" rule:"more" doc:"days without change before an unused memory may fade"`
	DecayThreshold        int  `mapstructure:"decay_threshold" rule:"more" doc:"decay score beyond which an unused memory fades"`
	ImportanceThreshold   int  `mapstructure:"importance_threshold" rule:"free" doc:"least importance of the memories that a session begins with unasked"`
	AutoDecayOnSessionEnd bool `mapstructure:"auto_decay_on_session_end" rule:"off" doc:"let memories fade when a session ends"`
}

// Session is how sessions are kept.
type Session struct {
	AutoGenerateSummary       bool `mapstructure:"auto_generate_summary" rule:"on" doc:"summarise a session at its end"`
	MaxEventsBeforeCompaction int  `mapstructure:"max_events_before_compaction" rule:"more" doc:"events after which a session is compacted"`
	WarnOnUnendedSession      bool `mapstructure:"warn_on_unended_session" rule:"on" doc:"say so when the last session was not ended"`
}

// Criteria is how acceptance criteria are found in tickets.
type Criteria struct {
	AutoParse                      bool     `mapstructure:"auto_parse" rule:"free" doc:"find criteria in a ticket's text"`
	Patterns                       []string `mapstructure:"patterns" rule:"free" doc:"what criteria begin with"`
	RequireEvidenceForVerification bool     `mapstructure:"require_evidence_for_verification" rule:"on" doc:"a criterion is verified only with evidence"`
}

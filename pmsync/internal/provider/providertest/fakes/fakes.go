// Package fakes lists the servers that behave as trackers do, with what points pmsync at
// each of them.
package fakes

import (
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakeasana"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakeazure"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakegithub"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakejira"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/fakelinear"
)

// Clock is the time of a fake.
type Clock interface{ Now() time.Time }

// Address stands in Env for where the fake is.
const Address = "URL"

// Fake is the fake of a tracker.
type Fake struct {
	Name provider.Name
	New  func(Clock) providertest.World
	Path string // that it is served under
	HTML bool   // its texts are HTML, and not Markdown
	// Env is what points pmsync at it: configuration, named as the environment does behind
	// AGIT_CFG_.
	Env map[string]string
}

// All are the fakes.
var All = []Fake{
	{provider.Linear, func(c Clock) providertest.World { return fakelinear.New(fakelinear.Options{Clock: c}) }, "", false, map[string]string{
		"PROVIDERS_LINEAR_URL": Address, "PROVIDERS_LINEAR_API_KEY": fakelinear.Key, "PROVIDER_TEAM_ID": fakelinear.TeamKey,
		"PROVIDER_STATE_FOR": "in_progress=In Progress\ntodo=Todo\ncanceled=Canceled"}},
	{provider.Jira, func(c Clock) providertest.World { return fakejira.New(fakejira.Options{Clock: c}) }, "", false, map[string]string{
		"PROVIDERS_JIRA_URL": Address, "PROVIDERS_JIRA_EMAIL": fakejira.Email, "PROVIDERS_JIRA_API_TOKEN": fakejira.Token, "PROVIDER_PROJECT_KEY": fakejira.Key,
		"PROVIDER_STATE_FOR": "in_progress=In Progress", "PROVIDER_CATEGORY_OF": "Won't Do=canceled"}},
	{provider.Asana, func(c Clock) providertest.World { return fakeasana.New(fakeasana.Options{Clock: c}) }, fakeasana.Path, false, map[string]string{
		"PROVIDERS_ASANA_URL": Address, "PROVIDERS_ASANA_ACCESS_TOKEN": fakeasana.Token, "PROVIDER_PROJECT_ID": fakeasana.Project, "PROVIDER_PRIORITY_FIELD": fakeasana.PriorityField,
		"PROVIDER_CATEGORY_OF": "To do=todo\nDoing=in_progress\nIn review=in_progress\nDone=done\nWon't do=canceled", "PROVIDER_STATE_FOR": "todo=To do\nin_progress=Doing",
		"PROVIDER_PRIORITY_OF": "Low=1\nMedium=2\nHigh=3\nUrgent=4"}},
	{provider.AzureDevOps, func(c Clock) providertest.World { return fakeazure.New(fakeazure.Options{Clock: c}) }, "", true, map[string]string{
		"PROVIDERS_AZURE_DEVOPS_URL": Address, "PROVIDERS_AZURE_DEVOPS_ORGANIZATION": fakeazure.Organization, "PROVIDERS_AZURE_DEVOPS_PAT": fakeazure.Token,
		"PROVIDER_PROJECT": fakeazure.Project, "PROVIDER_STATE_FOR": "in_progress=Active"}},
	{provider.GitHub, func(c Clock) providertest.World { return fakegithub.New(fakegithub.Options{Clock: c}) }, "", false, map[string]string{
		"PROVIDERS_GITHUB_URL": Address, "PROVIDERS_GITHUB_TOKEN": fakegithub.Token, "PROVIDER_PROJECT": fakegithub.Repo,
		"PROVIDER_STATE_FOR": "in_progress=in progress"}},
}

// Package provider defines the interface between pmsync and trackers in common terms. Each tracker has a package below that implements
// it; package providertest has the checks that all of them pass, and a fake server for each.
//
// A Provider is one project in one tracker, for one account. It stores nothing: its caller stores the items, the cursor and the waiting
// changes. Its methods are safe for concurrent use, wait for the tracker's rate limits, and retry only requests that can be repeated
// without a further effect.
package provider

import (
	"context"
)

// Name is a tracker's name in the configuration and in the registry.
type Name string

// The trackers.
const (
	Linear      Name = "linear"
	Jira        Name = "jira"
	Asana       Name = "asana"
	AzureDevOps Name = "azure_devops"
	GitHub      Name = "github"
)

// Provider is the interface of every tracker. Optional abilities are the interfaces below: use a type assertion.
//
// Every error from the tracker or the network is an *Error.
type Provider interface {
	// Name returns the tracker's name.
	Name() Name

	// TestConnection reads the caller's identity and checks that the configured project can be read. It always asks the tracker, and a
	// public answer does not count.
	TestConnection(ctx context.Context) (Account, error)

	// Projects calls yield for each project (for Linear: team) that the account can read. It returns yield's error if there is one.
	Projects(ctx context.Context, yield func(Project) error) error

	// Pull streams the changes since p.Cursor, or everything when that is empty. Each page has the cursor to continue from: a caller
	// stores a page's items and its cursor in one transaction, and may be killed at any point. A page holds at most a few hundred items
	// and is not kept. An item may come twice but is never missed. Pull returns yield's error if there is one.
	Pull(ctx context.Context, p Pull, yield func(Page) error) error

	// Item reads one item by its remote id or key, including former keys. It uses an endpoint that shows writes at once. An archived,
	// deleted or moved item is returned with its Presence; an unknown one is a NotFound Error.
	Item(ctx context.Context, id string) (*Item, error)

	// Update makes exactly the changes in change, and returns the changed item. current is the result of an Item call just before: if
	// the tracker can compare versions, a change made since is a Changed Error. Repeating an Update has no further effect. Parts that
	// were applied before a failure are listed in the Error's Applied.
	Update(ctx context.Context, current *Item, change Change) (*Item, error)

	// Transitions returns the states that the item may change to now, in the tracker's order, without its own.
	Transitions(ctx context.Context, current *Item) ([]Transition, error)

	// Statuses returns the possible states of the project's items.
	Statuses(ctx context.Context) ([]Status, error)
}

// SprintLister is a tracker with sprints (cycles, iterations).
type SprintLister interface {
	// Sprints calls yield for each sprint of the project.
	Sprints(ctx context.Context, yield func(Sprint) error) error
}

// Commenter is a tracker that takes comments.
type Commenter interface {
	// AddComment adds a comment once, however often it is called with the same
	// NewComment.Key.
	AddComment(ctx context.Context, current *Item, c NewComment) (Comment, error)
	// Comments calls yield for each comment of the item, oldest first.
	Comments(ctx context.Context, current *Item, yield func(Comment) error) error
}

// Attacher is a tracker that needs a separate request for some attachments or pages of an item.
type Attacher interface {
	// Attachments returns the attachments and pages that do not come with the item.
	Attachments(ctx context.Context, current *Item) ([]File, error)
}

// Creator is a tracker in which items can be created.
type Creator interface {
	// Create creates an item once, however often it is called with the same NewItem.Key, and returns it.
	Create(ctx context.Context, n NewItem) (*Item, error)
}

// Checker is a tracker that reports for many items at once whether they still exist. Full pulls, and one pull a day, use it to find
// deleted and moved items.
type Checker interface {
	// Check calls yield once for each id. It batches any number of ids. An undecidable id is Unknown, never Deleted.
	Check(ctx context.Context, ids []string, yield func(Presence) error) error
}

// Teller is a tracker whose Pull reports all deletions and moves, so that Check is not needed.
type Teller interface{ TellsGone() }

// UserFinder is a tracker that finds the people to whom an item can be assigned.
type UserFinder interface {
	// Users returns the people whose name or address matches text, at most 50.
	Users(ctx context.Context, text string) ([]User, error)
}

// Account is the owner of the credentials.
type Account struct {
	ID       string `json:"id"` // the id in assignments: User.ID
	Name     string `json:"name"`
	Email    string `json:"email,omitempty"`
	Site     string `json:"site,omitempty"`     // workspace, site or organization
	TimeZone string `json:"timeZone,omitempty"` // IANA name, if the tracker reports it
	Project  string `json:"project,omitempty"`  // the configured project's name
}

// Project is a container of items: a team in Linear, a project elsewhere.
type Project struct {
	ID       string `json:"id"`
	Key      string `json:"key,omitempty"`
	Name     string `json:"name"`
	Kind     string `json:"kind"` // team, project
	Parent   string `json:"parent,omitempty"`
	Archived bool   `json:"archived,omitempty"`
}

// Package provider says what pmsync needs of a tracker, in the words that all
// trackers share. Each of them has a package below that speaks the tracker's API and
// answers in these types; package providertest holds the checks that all of them pass,
// and a server for each that behaves like the real one.
//
// A Provider is one project in one tracker, for one account. It keeps nothing:
// what was read, how far, and what waits to be sent is the caller's to store.
// Its methods are safe for concurrent use, wait for the tracker's own rate
// limits, and retry only what can be repeated without a further effect.
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

// Provider is what every tracker can do. What only some can do are the
// interfaces below: ask for one with a type assertion.
//
// Every error that comes from the tracker or from the way there is an *Error.
type Provider interface {
	// Name says which tracker it is.
	Name() Name

	// TestConnection asks the tracker who the caller is, and whether the
	// configured project can be read. It never answers from memory, and an
	// answer that the tracker has for anyone does not count.
	TestConnection(ctx context.Context) (Account, error)

	// Projects calls yield for each project (for Linear: team) that the account
	// can read, and ends with yield's error if that returns one.
	Projects(ctx context.Context, yield func(Project) error) error

	// Pull streams what changed since p.Cursor, or everything when that is
	// empty. Each page carries the cursor to go on from: a caller stores a
	// page's items and its cursor in one transaction, and may be killed at any
	// point. A page holds at most a few hundred items and is not kept. An item
	// may come twice; it never stays away. Pull ends with yield's error if that
	// returns one.
	Pull(ctx context.Context, p Pull, yield func(Page) error) error

	// Item reads one item by its remote id or its key, former keys included. It
	// reads from where writes are seen at once. What is archived, deleted or in
	// another project is returned with its Presence; what does not exist is an
	// Error for NotFound.
	Item(ctx context.Context, id string) (*Item, error)

	// Update changes what change names and nothing else, and returns the item as
	// it is then. Current is what Item returned just before: where the tracker
	// can compare versions, a change made since is an Error for Changed.
	// Repeating an Update has no further effect. A part that was applied before
	// another failed is named in the Error's Applied.
	Update(ctx context.Context, current *Item, change Change) (*Item, error)

	// Transitions are the states that the item may go to now, in the tracker's
	// order, without the one it is in.
	Transitions(ctx context.Context, current *Item) ([]Transition, error)

	// Statuses are the states that items of the project can have.
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

// Attacher is a tracker of which some attachments or pages of an item take a request of
// their own.
type Attacher interface {
	// Attachments are the attachments and pages that do not come with the item.
	Attachments(ctx context.Context, current *Item) ([]File, error)
}

// Creator is a tracker in which items can be made.
type Creator interface {
	// Create makes an item once, however often it is called with the same
	// NewItem.Key, and returns it.
	Create(ctx context.Context, n NewItem) (*Item, error)
}

// Checker is a tracker that says for many items at once whether they are still
// there. It is how a full pull, and one a day, finds what was deleted or moved.
type Checker interface {
	// Check calls yield once for each id. Any number of ids may be given; it
	// asks for them in batches. What it cannot say is Unknown, never Deleted.
	Check(ctx context.Context, ids []string, yield func(Presence) error) error
}

// Teller is a tracker whose Pull tells by itself of all that was deleted or moved, so
// that no Check has to find it.
type Teller interface{ TellsGone() }

// UserFinder is a tracker that finds the people whom an item can be assigned to.
type UserFinder interface {
	// Users are the people whose name or address matches text, at most 50.
	Users(ctx context.Context, text string) ([]User, error)
}

// Account is who the credentials belong to.
type Account struct {
	ID       string `json:"id"` // under which items are assigned to it: User.ID
	Name     string `json:"name"`
	Email    string `json:"email,omitempty"`
	Site     string `json:"site,omitempty"`     // workspace, site or organization
	TimeZone string `json:"timeZone,omitempty"` // IANA name, if the tracker says it
	Project  string `json:"project,omitempty"`  // the configured project's name
}

// Project is something that holds items: a team in Linear, a project elsewhere.
type Project struct {
	ID       string `json:"id"`
	Key      string `json:"key,omitempty"`
	Name     string `json:"name"`
	Kind     string `json:"kind"` // team, project
	Parent   string `json:"parent,omitempty"`
	Archived bool   `json:"archived,omitempty"`
}

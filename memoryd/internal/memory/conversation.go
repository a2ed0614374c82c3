package memory

import (
	"strconv"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/registry"
)

// longestPause is how far apart two memories of one part of a conversation are noted.
const longestPause = time.Hour

// Conversation is what one client stores while it is connected, where no session is open:
// memories that it notes within an hour of each other are each other's context, as those
// of a session are. The zero value is ready; it is safe for concurrent use.
type Conversation struct {
	mu   sync.Mutex
	id   string
	part int
	last time.Time
}

// At returns the part of the conversation in which a memory is noted, for
// New.Conversation. A pause longer than an hour, or a step back of as much, begins
// another part: turns of old talks are stored with the times at which they were said.
func (c *Conversation) At(noted time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.id == "" {
		c.id = registry.NewID("")
	}
	if c.part == 0 || noted.Sub(c.last).Abs() > longestPause {
		c.part++
	}
	c.last = noted
	return c.id + "." + strconv.Itoa(c.part)
}

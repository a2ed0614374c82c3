package memory

import (
	"strconv"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/registry"
)

// longestPause is the longest time between two memories of one part of a conversation.
const longestPause = time.Hour

// Conversation groups the memories that one client stores while it is connected without an open session. Memories noted within an hour of
// each other are each other's context, like those of a session. The zero value is ready; it is safe for concurrent use.
type Conversation struct {
	mu   sync.Mutex
	id   string
	part int
	last time.Time
}

// At returns the part of the conversation for a memory noted at that time, for New.Conversation. A pause of more than an hour, forwards or
// backwards, begins another part: turns of old talks are stored with their original times.
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

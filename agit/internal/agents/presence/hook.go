package presence

import (
	"time"

	"github.com/agit-suite/agit/shared/clienthook"
)

// toolTime is how long a tool may run in silence: clients end the commands that they run after ten minutes at most, unless they are
// configured otherwise.
const toolTime = 15 * time.Minute

// Heard returns what an event of a client's hook means for its session; known is false for events that reveal nothing about what the agent
// does. client names the client, for agents without a name; named is the event that the hook was called with.
func Heard(client, named string, e clienthook.Event) (st Statement, known bool) {
	st = Statement{Folder: e.Cwd, Client: e.Seat(client), Session: e.SessionID, Source: Hook}
	switch e.Moment(named) {
	case clienthook.SessionStart, clienthook.TurnEnd:
		st.State = Idle
	case clienthook.Prompt, clienthook.Answered:
		st.State = Working
	case clienthook.ToolStart:
		st.State, st.Quiet = Working, toolTime
	case clienthook.ToolEnd:
		st.State, st.Ended = Working, e.Call()
	case clienthook.Question:
		st.State, st.Note, st.Asked = Waiting, e.Asks(), e.Call()
	case clienthook.SessionEnd:
		st.State = Gone
	default:
		return st, false
	}
	return st, true
}

package mcpserver

import (
	"context"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/memoryd/internal/stores"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/mcpkit"
)

// recordTools registers the tools of agents' records and prior art.
var recordTools = []func(*service){
	addAgentStatus, addAgentReportBug, addAgentRecordGrade, addAgentRecordRetrospective, addAgentLogActivity, addPriorArt,
}

// newRecords puts a buffer in front of the records for the life of the server.
func newRecords(env *cli.Env, st *stores.Stores) *record.Buffer {
	o := record.BufferOptions{Log: env.Logger()}
	if st.Config != nil {
		o.After = st.Config.Server.FlushAfter
	}
	return record.NewBuffer(st.Records, o)
}

// flushRecords stores what was recorded when a session ends, of a client's or of
// an agent's work.
func (s *service) flushRecords(*mcpkit.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.records.Flush(ctx) // it has warned, and keeps what it could not store
}

package mcpserver

import (
	"context"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/mcpkit/server"
)

// recordTools registers the tools of agents' records and prior art.
var recordTools = []func(*service){
	addAgentStatus, addAgentReportBug, addAgentRecordGrade, addAgentRecordRetrospective, addAgentLogActivity, addPriorArt,
}

// newRecords creates the buffer in front of the records for the life of the server.
func newRecords(b *server.Base, st *record.Store) *record.Buffer {
	return record.NewBuffer(st, record.BufferOptions{Log: b.Env.Logger(), After: b.Config.Server.FlushAfter})
}

// flushRecords stores the buffered records when a session ends, a client's or an agent's.
func (s *service) flushRecords() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.records.Flush(ctx) // it has warned, and keeps the records that it could not store
}

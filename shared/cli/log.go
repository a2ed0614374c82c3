package cli

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
)

// logger makes the run's *slog.Logger when the first line is written.
type logger struct {
	mu    sync.Mutex
	level slog.LevelVar
	given bool // --log-level was given
	ready bool
	slog  *slog.Logger
}

// logLevels are the values of --log-level.
func logLevels() []string { return []string{"debug", "info", "warn", "error"} }

func parseLevel(text string) (slog.Level, bool) {
	levels := []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	if i := slices.Index(logLevels(), strings.ToLower(text)); i >= 0 {
		return levels[i], true
	}
	return slog.LevelWarn, false
}

// setLevel takes --log-level, which wins over the configuration.
func (l *logger) setLevel(text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	level, ok := parseLevel(text)
	if text != "" && !ok {
		return fault.Validation("log-level", "%q is not a log level", text).
			WithHint("use one of %s", strings.Join(logLevels(), ", "))
	}
	l.level.Set(level)
	l.given, l.ready = text != "", true
	return nil
}

func (l *logger) setDefault(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if level, ok := parseLevel(text); ok && !l.given {
		l.level.Set(level)
		l.ready = true
	}
}

func (l *logger) get(w io.Writer) *slog.Logger {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ready {
		l.level.Set(slog.LevelWarn)
		l.ready = true
	}
	if l.slog == nil {
		l.slog = slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: &l.level, ReplaceAttr: logAttr}))
	}
	return l.slog
}

// logAttr renames slog's own fields to the suite's names.
func logAttr(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch a.Key {
	case slog.TimeKey:
		return slog.String("timestamp", a.Value.Time().UTC().Format("2006-01-02T15:04:05.000Z"))
	case slog.MessageKey:
		if a.Value.String() == "" {
			return slog.Attr{}
		}
	case slog.LevelKey:
		return slog.String(slog.LevelKey, strings.ToLower(a.Value.String()))
	}
	return a
}

// Logger writes JSON lines on standard error. Its callers log field names and never a parameter that may hold a secret.
func (e *Env) Logger() *slog.Logger { return e.log.get(e.Streams.ErrWriter()) }

// SetLogDefault sets the level that holds without flag and configuration; servers choose info where commands have warn.
func (e *Env) SetLogDefault(level string) { e.log.setDefault(level) }

// LogCall writes the one line that a command or tool call leaves in the log: which tool, for which agent, how long in milliseconds, and how
// it ended.
func LogCall(ctx context.Context, l *slog.Logger, tool, agent string, took time.Duration, err error) {
	if !l.Enabled(ctx, slog.LevelInfo) {
		return
	}
	result := "ok"
	if err != nil {
		result = string(fault.From(err).Kind)
	}
	l.LogAttrs(ctx, slog.LevelInfo, "", slog.String("tool", tool), slog.String("agentName", redact.Clean(agent)),
		slog.Float64("duration", float64(took.Microseconds())/1000), slog.String("result", result))
}

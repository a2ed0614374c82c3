package mcpkit

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/agit-suite/agit/shared/fault"
)

// answer handles one message and returns the encoded response, nil when there is none. Messages that it causes meanwhile go to out.
func (s *Server) answer(ctx context.Context, session *Session, out outlet, m message) (response []byte) {
	switch {
	case m.refusal != nil:
		return m.refusal
	case m.response != nil:
		session.asks.deliver(m.id, m.response)
		return nil
	case m.id == nil && m.method == "notifications/cancelled":
		session.running.cancel(m.raw)
		return nil
	}
	r := &request{session: session, out: out}
	if g, ok := out.(interface{ gone() <-chan struct{} }); ok {
		r.gone = g.gone()
	}
	view := &sessionView{Session: session}
	ctx = context.WithValue(ctx, requestKey{}, r)
	view.exists = func(uri string) error { return s.exists(ctx, uri) }
	if m.method == string(mcp.MethodSubscriptionsListen) && m.id != nil {
		var done func()
		view.listen, done = s.listen(out, m.id)
		defer done()
	}
	ctx = s.mcp.WithContext(ctx, view)
	err := guard(s.log, m.method, func() error {
		if reply := s.mcp.HandleMessage(ctx, m.raw); reply != nil && m.id != nil {
			response = encodeResponse(m, reply, r.fault)
		}
		return nil
	})
	if err != nil && m.id != nil {
		return failure(m.id, mcp.INTERNAL_ERROR, err.Error(), fault.From(err))
	}
	return response
}

// sessionView shows a Session to mcp-go during one request. It is a type of its
// own so that none of this is part of Session's interface.
type sessionView struct {
	*Session
	listen *listener              // of a subscriptions/listen request
	exists func(uri string) error // returns an error for a URI without a resource
}

var (
	_ server.SessionWithLogging                  = (*sessionView)(nil)
	_ server.SessionWithClientInfo               = (*sessionView)(nil)
	_ server.SessionWithResourceSubscriptionsErr = (*sessionView)(nil)
	_ server.SessionWithSubscriptionFilter       = (*sessionView)(nil)
)

func (v *sessionView) SessionID() string { return v.id }

// NotificationChannel returns nil except for subscriptions/listen: our own notifications are written directly, because a channel and its
// reader would lose and reorder them.
func (v *sessionView) NotificationChannel() chan<- mcp.JSONRPCNotification {
	if v.listen == nil {
		return nil
	}
	return v.listen.acks
}

func (v *sessionView) Initialize() { set(&v.mu, &v.initialized, true) }

func (v *sessionView) Initialized() bool { return v.ready() }

func (v *sessionView) SetLogLevel(level mcp.LoggingLevel) { set(&v.mu, &v.level, level) }

func (v *sessionView) GetLogLevel() mcp.LoggingLevel { return v.logLevel() }

func (v *sessionView) GetClientInfo() mcp.Implementation { return get(&v.mu, &v.client) }

func (v *sessionView) SetClientInfo(client mcp.Implementation) {
	// Only the parts that are shown are kept: icons and descriptions would stay for the life of the session.
	set(&v.mu, &v.client, mcp.Implementation{Name: shorten(client.Name), Version: shorten(client.Version)})
}

func (v *sessionView) GetClientCapabilities() mcp.ClientCapabilities { return get(&v.mu, &v.can) }

func (v *sessionView) SetClientCapabilities(can mcp.ClientCapabilities) {
	can.Experimental, can.Extensions = nil, nil
	set(&v.mu, &v.can, can)
}

func (v *sessionView) ProtocolVersion() string { return get(&v.mu, &v.protocol) }

func (v *sessionView) SetProtocolVersion(version string) { set(&v.mu, &v.protocol, version) }

// subscriber returns the receiver of the updates that this request subscribes to.
func (v *sessionView) subscriber() *updates {
	if v.listen != nil {
		return v.listen.updates
	}
	return v.updates
}

// SubscribeToResourceErr subscribes to a resource that exists. For others the specification has an error: "Resource not found: -32002"
// (https://modelcontextprotocol.io/specification/2025-06-18/server/resources#error-handling).
func (v *sessionView) SubscribeToResourceErr(uri string) error {
	// It subscribes before it checks, because the check takes longer than a change: some clients go on before they are answered, and must
	// not miss a change made meanwhile.
	v.SubscribeToResource(uri)
	err := v.exists(uri)
	if err != nil {
		v.UnsubscribeFromResource(uri)
	}
	return err
}

func (v *sessionView) SubscribeToResource(uri string) {
	v.server.updates.subscribe(uri, v.subscriber())
}

func (v *sessionView) UnsubscribeFromResource(uri string) {
	v.server.updates.unsubscribe(uri, v.subscriber())
}

func (v *sessionView) SubscribedResources() []string {
	return v.server.updates.subscriptions(v.subscriber())
}

func (v *sessionView) IsSubscribedToResource(uri string) bool {
	return slices.Contains(v.SubscribedResources(), uri)
}

// SetSubscriptionFilter and SubscriptionFilter concern notifications about
// changed lists; ours never change.
func (v *sessionView) SetSubscriptionFilter(mcp.SubscriptionFilter) {}

func (v *sessionView) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	return mcp.SubscriptionFilter{}, v.listen != nil
}

// listener serves one subscriptions/listen request, the way in which clients of
// 2026-07-28 subscribe: one long request whose stream carries tagged updates.
type listener struct {
	acks    chan mcp.JSONRPCNotification
	updates *updates
}

// listen prepares a listener; done ends it. Updates wait until the
// acknowledgement, which must be first, is written.
func (s *Server) listen(out outlet, id json.RawMessage) (l *listener, done func()) {
	l = &listener{acks: make(chan mcp.JSONRPCNotification, 1), updates: &updates{tag: id}}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case ack := <-l.acks:
				_ = out.send(marshal(ack))
				l.updates.open(out)
			case <-stop:
				return
			}
		}
	}()
	return l, func() {
		close(stop)
		<-stopped
		s.updates.leave(l.updates)
		l.updates.close()
	}
}

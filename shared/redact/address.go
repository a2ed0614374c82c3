package redact

import "strings"

// addressSigns begin URLs and data source names that hold a password or a token.
func addressSigns() []sign {
	all := []sign{{"://", (*text).address, rankAddress}, {"@tcp(", (*text).dataSource, rankAddress}, {"@unix(", (*text).dataSource, rankAddress}, {"@tcp4(", (*text).dataSource, rankAddress}, {"@tcp6(", (*text).dataSource, rankAddress}, {"@udp(", (*text).dataSource, rankAddress}, {":thin:", (*text).oracle, rankAddress}, {":oci:", (*text).oracle, rankAddress}, {":oci8:", (*text).oracle, rankAddress}}
	for _, program := range []string{"sqlplus ", "sqlplus -s ", "sqlplus -l ", "sqlldr ", "expdp ", "impdp ", "exp ", "imp ", "rman target ", "connect ", "conn "} {
		all = append(all, sign{program, func(t *text, at int) { t.userSlash(at + len(program)) }, rankAddress})
	}
	for first := 'a'; first <= 'z'; first++ { // a database; a sign has three letters
		all = append(all, sign{"@/" + string(first), (*text).localSource, rankAddress})
	}
	return all
}

// longestAddress is how many bytes of an address are read at most.
const longestAddress = 512

// address finds the secret of the URL whose :// stands at t.s[at:].
func (t *text) address(at int) {
	s := t.s
	from := at + len("://")
	if at == 0 || !is(s[at-1], alphanum) {
		return
	}
	end := min(len(s), from+longestAddress)
	authority := upTo(s[from:end], " \t\r\n\"'`\\")
	if next := strings.Index(authority, "://"); next >= 0 { // another address follows
		authority = authority[:next]
		if i := strings.LastIndexAny(authority, ",;"); i >= 0 {
			authority = authority[:i]
		}
	}
	t.count(len(authority))
	if i := strings.IndexAny(authority, "<>"); i >= 0 {
		if j := strings.IndexByte(authority[i:], '@'); j < 0 || strings.IndexByte(authority[:i], '@') >= 0 {
			authority = authority[:i]
		}
	}
	host := hostAt(authority)
	if host < 0 {
		return
	}
	user := authority[:host]
	name, pass, has := strings.Cut(user, ":")
	long := len(name) >= 16 && madeUp(name[:min(len(name), longestJudged)])
	switch {
	case strings.ContainsAny(name, "/?#<>()"):
		return
	case !has || pass == "" || pass == "x-oauth-basic" || pass == "x-access-token":
		if long || has && len(name) <= longestJudged && strong(name) && !jargon(name, false) && !placePath(name) { // a token where users stand
			t.add(from, from+len(name), "URL password", rankAddress)
		}
		return
	case port(pass), shown(pass), pass == name && len(pass) < 8 && !strings.ContainsAny(pass, "0123456789"):
		return
	}
	start := from + len(name) + 1
	if long {
		start = from
	}
	t.add(start, from+len(user), "URL password", rankAddress)
}

// shown reports whether the password of an address is only a placeholder.
func shown(pass string) bool {
	pass = pass[:min(len(pass), longestJudged)]
	return placeholder(pass) || strings.HasPrefix(pass, "[") || strings.HasPrefix(pass, ":") || strings.Trim(pass, "*x.") == ""
}

// hostAt returns the index of the @ before the host, or -1. A password may hold @ and /, and so may a path: a host is followed by the end,
// a port or a path.
func hostAt(authority string) int {
	slash := len(upTo(authority, "/?#"))
	best := strings.LastIndexByte(authority[:slash], '@')
	for i, tries := len(authority)-1, 8; i > max(best, slash) && tries > 0; i-- {
		if authority[i] == '@' {
			if tries--; best < 0 || likeHost(authority[i+1:]) {
				if best < 0 && !likeHost(authority[i+1:]) && strings.ContainsAny(authority[:slash], ".") {
					continue // an @ in a path
				}
				return i
			}
		}
	}
	return best
}

// likeHost reports whether s begins with a host: a name with a dot or a port, or localhost.
func likeHost(s string) bool {
	name, number, has := strings.Cut(upTo(s, "/?#@"), ":")
	if name == "" || !only(name, dotted) {
		return false
	}
	return has && port(number) || name == "localhost" || strings.Contains(name, ".")
}

// port reports whether a text is the port of a host, optionally followed by a path.
func port(s string) bool {
	n := leading(s, digit)
	return n > 0 && n <= 5 && (n == len(s) || s[n] == '/')
}

// dataSource finds the password of a data source name as Go's driver of MySQL reads it:
// user:password@tcp(host)/db.
func (t *text) dataSource(at int) {
	from := t.begin(written, at, 100)
	if n := len(t.hits); n > 0 {
		from = max(from, min(at, t.hits[n-1].to))
	}
	for i := from; i < at; i++ {
		if t.s[i] == ':' && i > from && i+1 < at {
			if pass := t.judged(i+1, at); !shown(pass) {
				t.add(i+1, at, "URL password", rankAddress)
			}
			return
		}
	}
}

// localSource finds the password of a data source name without a host: user:password@/db.
func (t *text) localSource(at int) {
	from := t.begin(written, at, 100)
	user, pass, ok := strings.Cut(t.judged(from, at), ":")
	if m := makeupOf(pass); ok && user != "" && only(user, word|dotted) && len(pass) >= 6 && !shown(pass) && (strong(pass) || m.digits > 0 && m.letters > 2) {
		t.add(from+len(user)+1, at, "URL password", rankAddress)
	}
}

// oracle finds the password of jdbc:oracle:thin:user/password@host.
func (t *text) oracle(at int) {
	t.userSlash(at + strings.IndexByte(t.s[at+1:], ':') + 2)
}

// userSlash finds the password of user/password@service at t.s[at:].
func (t *text) userSlash(at int) {
	at = t.blanks(at)
	if c := t.byteAt(at); c == '"' || c == '\'' {
		at++
	}
	end := t.end(written, at)
	w := t.judged(at, end)
	user, rest, ok := strings.Cut(w, "/")
	if !ok || user == "" || !only(user, word) && !strings.HasPrefix(user, "C##") {
		return
	}
	pass := rest
	if i := strings.LastIndexByte(rest, '@'); i > 0 {
		pass = rest[:i]
	} else if !strong(rest) || strings.ContainsAny(rest, "/\\") {
		return
	}
	if len(pass) < 4 || shown(pass) || strings.ContainsAny(pass, "/ ") && !strong(pass) {
		return
	}
	from := at + len(user) + 1
	t.add(from, from+len(pass), "URL password", rankAddress)
}

// hooks are addresses that let in everyone who has them: the end of their host, the beginning of their path, and how many letters and
// digits follow.
var hooks = []struct {
	kind, host, path string
	least            int
}{
	{"Slack webhook", "hooks.slack.com", "/", 24}, {"Slack webhook", "hooks.slack-gov.com", "/", 24}, {"Discord webhook", "discord.com", "/api/", 60}, {"Discord webhook", "discordapp.com", "/api/", 60},
	{"Zapier webhook", "hooks.zapier.com", "/hooks/catch/", 10}, {"Teams webhook", ".webhook.office.com", "/webhookb2/", 60}, {"Teams webhook", "outlook.office.com", "/webhook/", 60}, {"Teams webhook", "outlook.office365.com", "/webhook/", 60},
	{"Google Chat webhook", "chat.googleapis.com", "/v1/spaces/", 60}, {"IFTTT key", "maker.ifttt.com", "/trigger/", 20}, {"Make webhook", ".make.com", "/", 24}, {"Integromat webhook", "hook.integromat.com", "/", 24}, {"Pipedream webhook", ".m.pipedream.net", "", 0},
	{"Feishu webhook", "open.feishu.cn", "/open-apis/bot/v2/hook/", 30}, {"Lark webhook", "open.larksuite.com", "/open-apis/bot/v2/hook/", 30}, {"DingTalk webhook", "oapi.dingtalk.com", "/robot/send", 40}, {"WeCom webhook", "qyapi.weixin.qq.com", "/cgi-bin/webhook/send", 30},
	{"Opsgenie key", "api.opsgenie.com", "/v1/json/", 30}, {"PagerDuty key", "events.pagerduty.com", "/integration/", 30}, {"VictorOps key", "alert.victorops.com", "/integrations/", 30}, {"Datadog webhook", ".datadoghq.com", "/intake/webhook/", 30}, {"Healthchecks address", "hc-ping.com", "/", 22}, {"Mattermost webhook", "", "/hooks/", 26}, {"Rocket.Chat webhook", "", "/hooks/", 17},
	{"Matrix webhook", "", "/hook/", 32}, {"Home Assistant webhook", "", "/api/webhook/", 24}, {"GitLab feed", "", "/feed_token=", 20}, {"Sentry address", ".ingest.sentry.io", "/api/", 1 << 20}, {"Infura key", ".infura.io", "/v3/", 32}, {"Alchemy key", ".g.alchemy.com", "/v2/", 20}, {"QuickNode key", ".quiknode.pro", "/", 30}, {"Vercel webhook", "api.vercel.com", "/v1/integrations/deploy/", 20}, {"Netlify webhook", "api.netlify.com", "/build_hooks/", 20}, {"Render webhook", "api.render.com", "/deploy/srv-", 10}, {"Power Automate address", ".logic.azure.com", "/", 1 << 20},
	{"Bitrise webhook", "hooks.bitrise.io", "/h/", 20}, {"Buildkite webhook", "webhook.buildkite.com", "/deliver/", 20}, {"Telegram token", "api.telegram.org", "/bot", 35}, {"n8n webhook", "", "/webhook/", 32}, {"Uptime Kuma address", "", "/api/push/", 10}, {"ntfy", "", "/_matrix/push/", 1 << 20},
}

// webhook finds an address that is a secret by itself.
func (t *text) webhook(at int) {
	from := at + len("https://")
	end := min(t.end(written, from), from+longestAddress)
	w := upTo(t.s[from:end], "<>|,;()[]{}\\")
	t.count(len(w))
	slash := strings.IndexByte(w, '/')
	if slash < 0 {
		return
	}
	host, path := strings.ToLower(w[:slash]), w[slash:]
	for _, h := range hooks {
		if !strings.HasSuffix(host, h.host) || h.host != "" && h.host[0] != '.' && len(host) > len(h.host) && host[len(host)-len(h.host)-1] != '.' {
			continue
		}
		i := strings.Index(path, h.path)
		if i < 0 || h.host != "" && i > 0 || len(path)-i-len(h.path) < h.least || h.least == 0 {
			continue
		}
		rest := strings.TrimRight(path[i+len(h.path):], ".,:!?)*_")
		if len(rest) < h.least {
			continue
		}
		secretive := false
		for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == '/' || r == '?' || r == '&' || r == '=' || r == '@' }) {
			part = part[:min(len(part), longestJudged)]
			secretive = secretive || len(part) >= 8 && (madeUp(part) || strong(part) || uuid(part)) || isDigits(part) && len(part) >= 6 && h.kind == "Zapier webhook"
		}
		if !secretive {
			continue
		}
		start := at
		if h.host == "" || h.kind == "Telegram token" {
			start = from + slash + i + len(h.path)
		}
		stop := from + slash + i + len(h.path) + len(rest)
		if h.kind == "Telegram token" {
			if k := strings.IndexByte(rest, '/'); k > 0 {
				stop = start + k
			}
		}
		t.add(start, stop, h.kind, rankKey)
		return
	}
}

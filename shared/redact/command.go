package redact

import "strings"

// A command takes a password in an option, or after some words, without a telling name beside it.
type command struct {
	program string   // its name, with the text after it if that tells it from a word
	options []string // such as -p; "" for a word without an option
	form    form
	word    int // for words without an option: which one it is, from 1
}

// A form is how the option's value holds the password.
type form int

const (
	whole    form = iota // -p password
	tightly              // -ppassword
	userPass             // -u user:password
	userPct              // -U user%password
	comma                // -u user,password
)

// dividers stand between a user's name and the password.
var dividers = [...]string{userPass: ":", userPct: "%", comma: ","}

var commands = []command{
	{"curl", []string{"-u", "--user", "-U", "--proxy-user"}, userPass, 0}, {"http ", []string{"-a", "--auth"}, userPass, 0}, {"https ", []string{"-a", "--auth"}, userPass, 0}, {"xh ", []string{"-a", "--auth"}, userPass, 0},
	{"wget", []string{"--http-passwd", "--ftp-passwd"}, whole, 0}, {"httpie", []string{"-a", "--auth"}, userPass, 0}, {"etcdctl", []string{"--user"}, userPass, 0}, {"elasticsearch", []string{"-u"}, userPass, 0}, {"aria2c", []string{"--http-passwd"}, whole, 0},
	{"mysql", []string{"-p"}, tightly, 0}, {"mariadb", []string{"-p"}, tightly, 0}, {"mysqldump", []string{"-p"}, tightly, 0}, {"mysqladmin", []string{"-p"}, tightly, 0}, {"mycli", []string{"-p"}, whole, 0}, {"xtrabackup", []string{"-p"}, tightly, 0}, {"mysqlsh", []string{"-p"}, tightly, 0},
	{"mongo", []string{"-p"}, whole, 0}, {"mongosh", []string{"-p"}, whole, 0}, {"mongodump", []string{"-p"}, whole, 0}, {"mongorestore", []string{"-p"}, whole, 0}, {"cqlsh", []string{"-p"}, whole, 0}, {"influx ", []string{"-p"}, whole, 0}, {"cypher-shell", []string{"-p"}, whole, 0}, {"nodetool", []string{"-pw"}, whole, 0}, {"clickhouse", []string{"--password"}, whole, 0}, {"snowsql", []string{"-p"}, whole, 0}, {"arangosh", []string{"--server.password"}, whole, 0},
	{"redis-cli", []string{"-a", "--pass"}, whole, 0}, {"valkey-cli", []string{"-a", "--pass"}, whole, 0}, {"keydb-cli", []string{"-a"}, whole, 0}, {"sqlcmd", []string{"-P"}, whole, 0}, {"bcp ", []string{"-P"}, whole, 0}, {"isql", []string{"-P"}, whole, 0}, {"tsql", []string{"-P"}, whole, 0}, {"db2 connect", []string{"using"}, whole, 0},
	{"smbclient", []string{"-U"}, userPct, 0}, {"rpcclient", []string{"-U"}, userPct, 0}, {"net rpc", []string{"-U"}, userPct, 0}, {"wmic", []string{"/password:"}, tightly, 0}, {"crackmapexec", []string{"-p"}, whole, 0}, {"netexec", []string{"-p"}, whole, 0}, {"evil-winrm", []string{"-p"}, whole, 0},
	{"sshpass", []string{"-p"}, whole, 0}, {"plink", []string{"-pw"}, whole, 0}, {"pscp", []string{"-pw"}, whole, 0}, {"psftp", []string{"-pw"}, whole, 0}, {"putty", []string{"-pw"}, whole, 0}, {"winscp", []string{"/password="}, tightly, 0}, {"lftp", []string{"-u"}, comma, 0}, {"open -u ", nil, comma, 1}, {"ncftp", []string{"-p"}, whole, 0},
	{"docker login", []string{"-p"}, whole, 0}, {"podman login", []string{"-p"}, whole, 0}, {"helm registry", []string{"-p"}, whole, 0}, {"registry login", []string{"-p"}, whole, 0}, {"oras login", []string{"-p"}, whole, 0}, {"buildah login", []string{"-p"}, whole, 0}, {"skopeo login", []string{"-p"}, whole, 0}, {"nerdctl login", []string{"-p"}, whole, 0}, {"skopeo", []string{"--creds", "--src-creds", "--dest-creds"}, userPass, 0}, {"crane auth login", []string{"-p"}, whole, 0}, {"oc login", []string{"-p"}, whole, 0}, {"cf login", []string{"-p"}, whole, 0}, {"cf auth ", nil, whole, 2}, {"az login", []string{"-p"}, whole, 0}, {"az acr login", []string{"-p"}, whole, 0}, {"argocd login", []string{"--password"}, whole, 0}, {"heroku login", []string{"-p"}, whole, 0}, {"bw unlock", nil, whole, 1}, {"bw login", nil, whole, 2}, {"twine", []string{"-p"}, whole, 0}, {"psexec", []string{"-p"}, whole, 0}, {"schtasks", []string{"/rp", "/p"}, whole, 0}, {"net user", nil, whole, 2}, {"net use", nil, whole, 3}, {"cmdkey", []string{"/pass:"}, tightly, 0}, {"runas", []string{"/pass:"}, tightly, 0},
	{"htpasswd", []string{"-b"}, whole, 3}, {"htpasswd", []string{"-nb", "-nbb", "-bn", "-nbB", "-Bbn", "-bnB", "-nbm", "-bBn", "-nBb"}, whole, 2}, {"htpasswd", []string{"-cb", "-bc", "-bB", "-Bb", "-cBb", "-cbB", "-bBc", "-mb", "-bm"}, whole, 3}, {"rabbitmqctl add_user", nil, whole, 2}, {"rabbitmqctl change_password", nil, whole, 2}, {"rabbitmqctl authenticate_user", nil, whole, 2}, {"rabbitmqadmin", []string{"-p"}, whole, 0},
	{"ldapsearch", []string{"-w"}, whole, 0}, {"ldapmodify", []string{"-w"}, whole, 0}, {"ldapadd", []string{"-w"}, whole, 0}, {"ldapwhoami", []string{"-w"}, whole, 0}, {"ldapdelete", []string{"-w"}, whole, 0}, {"ldappasswd", []string{"-w", "-s", "-a"}, whole, 0}, {"kinit", []string{"--password"}, whole, 0}, {"kadmin", []string{"-w", "-pw"}, whole, 0}, {"addprinc", []string{"-pw"}, whole, 0},
	{"zip", []string{"-P", "--password"}, whole, 0}, {"unzip", []string{"-P"}, whole, 0}, {"7z ", []string{"-p"}, tightly, 0}, {"7za ", []string{"-p"}, tightly, 0}, {"7zz ", []string{"-p"}, tightly, 0}, {"unrar", []string{"-p", "-hp"}, tightly, 0}, {"rar ", []string{"-p", "-hp"}, tightly, 0}, {"qpdf", []string{"--decrypt --password"}, whole, 0}, {"pdftk", []string{"input_pw", "user_pw", "owner_pw"}, whole, 0},
	{"ssh-keygen", []string{"-N", "-P"}, whole, 0}, {"keytool", []string{"-storepass", "-keypass", "-srcstorepass", "-deststorepass", "-srckeypass", "-destkeypass", "-new"}, whole, 0}, {"jarsigner", []string{"-storepass", "-keypass"}, whole, 0}, {"apksigner", []string{"pass:"}, tightly, 0}, {"signtool", []string{"/p"}, whole, 0}, {"security unlock-keychain", []string{"-p"}, whole, 0}, {"security create-keychain", []string{"-p"}, whole, 0}, {"security import", []string{"-P"}, whole, 0}, {"security set-key-partition-list", []string{"-k"}, whole, 0}, {"security add-generic-password", []string{"-w"}, whole, 0}, {"certutil", []string{"-p"}, whole, 0}, {"pk12util", []string{"-W", "-K"}, whole, 0},
	{"ipmitool", []string{"-P"}, whole, 0}, {"rdesktop", []string{"-p"}, whole, 0}, {"xfreerdp", []string{"/p:"}, tightly, 0}, {"wfreerdp", []string{"/p:"}, tightly, 0}, {"vncviewer", []string{"-passwd"}, whole, 0}, {"x11vnc", []string{"-passwd"}, whole, 0}, {"svn ", []string{"--password"}, whole, 0}, {"cvs ", []string{"-p"}, whole, 0}, {"p4 ", []string{"-P"}, whole, 0}, {"mosquitto_pub", []string{"-P", "--pw"}, whole, 0}, {"mosquitto_sub", []string{"-P", "--pw"}, whole, 0}, {"mosquitto_passwd", []string{"-b"}, whole, 3}, {"mqttx", []string{"-P"}, whole, 0}, {"swaks", []string{"-ap", "--auth-password"}, whole, 0}, {"sendemail", []string{"-xp"}, whole, 0}, {"snmpwalk", []string{"-A", "-X", "-c"}, whole, 0}, {"snmpget", []string{"-A", "-X", "-c"}, whole, 0}, {"snmpset", []string{"-A", "-X", "-c"}, whole, 0}, {"useradd", []string{"-p"}, whole, 0}, {"usermod", []string{"-p"}, whole, 0}, {"openconnect", []string{"--passwd"}, whole, 0}, {"nmcli", []string{"password", "psk"}, whole, 0}, {"wpa_passphrase", nil, whole, 2}, {"cryptsetup", []string{"--key"}, whole, 0}, {"restic", []string{"--password"}, whole, 0}, {"rclone obscure", nil, whole, 1}, {"mc alias set", nil, whole, 4}, {"mc config host add", nil, whole, 4}, {"s3cmd", []string{"--secret_key"}, whole, 0}, {"vault login", nil, whole, 1}, {"ansible", []string{"ansible_password="}, tightly, 0}, {"lpass login", nil, whole, 2}, {"gpg", []string{"--passphrase"}, whole, 0}, {"openssl enc", []string{"-k", "-K", "-pass pass:"}, whole, 0}, {"openssl", []string{"-k", "-hmac"}, whole, 0}, {"mvn", []string{"-Dpassword="}, tightly, 0}, {"dsconf", []string{"-w"}, whole, 0}, {"zabbix", []string{"-p"}, whole, 0}, {"jupyter", []string{"--NotebookApp.token="}, tightly, 0}, {"code-server", []string{"--password"}, whole, 0}, {"doctl auth init", []string{"-t", "--access-token"}, whole, 0}, {"http-basic", nil, whole, 3}, {"ngrok authtoken", nil, whole, 1}, {"ngrok config add-authtoken", nil, whole, 1}, {"tailscale up", []string{"--authkey", "--auth-key"}, whole, 0}, {"wrangler", []string{"--api-token"}, whole, 0}, {"impacket-", []string{"-p"}, whole, 0}, {"pg_dump", []string{"-W"}, whole, 0}, {"sudo -s", nil, whole, 1 << 10}, {"expect", []string{"send"}, whole, 0},
}

// behind are texts that a password follows, in quotes or up to a blank.
var behind = []string{"identified by ", "identified with mysql_native_password by ", "identified with caching_sha2_password by ", "using password ", "convertto-securestring -string ", "convertto-securestring ", "-passin pass:", "-passout pass:", "-pass pass:", "pass:", "pass=pass:", "encrypted by password = ", "by password = ", "requirepass ", "masterauth ", "auth pass ", "--pass-stdin <<< ", "--password-stdin <<< ", "--password-stdin <<<", "--with-token <<< ", "--with-token <<<",
	"enable secret 0 ", "enable secret ", "enable password 7 ", "enable password 0 ", "enable password ", "key-string 7 ", "key-string ", "snmp-server community ", "pre-shared-key ", "pre-shared-key ascii-text ", "ascii-text ", "wpa-psk ascii 0 ", "wpa-psk ", "tacacs-server key ", "radius-server key ", "encrypted-password ", "stats auth ", "basic-auth ", "chpasswd <<< ", "password 7 ", "secret 5 ", "secret 9 ", "password 0 ", "secret 0 ", "md5 5 ", "message-digest-key 1 md5 ", "ip ospf authentication-key ", "crypto isakmp key ", "set passwd enc ", "set psksecret ", "set password enc ", "sendline(", "send \"", "send -- \"", "--from-literal=password="}

// quotedBehind are beginnings of those texts after which a quoted value is always a password.
var quotedBehind = []string{"identified ", "convertto-", "encrypted by", "by password"}

// longestCommand is how many bytes a command has at most, over several lines.
const longestCommand = 1000

// commandSigns mark passwords in commands and in files of other programs.
func commandSigns() []sign {
	var all []sign
	for i := range commands {
		c := &commands[i]
		all = append(all, sign{strings.ToLower(c.program), c.find, rankCommand})
	}
	for _, b := range behind {
		all = append(all, sign{b, func(t *text, at int) { t.behindText(at, len(b)) }, rankCommand})
	}
	return append(all, sign{"| chpasswd", (*text).chpasswd, rankCommand}, sign{"|chpasswd", (*text).chpasswd, rankCommand}, sign{"| sudo chpasswd", (*text).chpasswd, rankCommand}, sign{"| passwd", (*text).echoed, rankCommand}, sign{"| cryptsetup", (*text).echoed, rankCommand}, sign{"| sudo -s", (*text).echoed, rankCommand}, sign{"--password-stdin", (*text).echoed, rankCommand}, sign{"--with-token", (*text).echoed, rankCommand}, sign{"|sudo -s", (*text).echoed, rankCommand}, sign{"--stdin", (*text).echoed, rankCommand},
		sign{":543", pgpass, rankCommand}, sign{"login ", netrc, rankCommand}, sign{"acl setuser ", (*text).aclUser, rankCommand}, sign{"auth ", (*text).redisAuth, rankCommand}, sign{"setuser ", (*text).aclUser, rankCommand})
}

// commandWord is a word of a command.
type commandWord struct{ from, to int }

// find looks through the words of a command for the password.
func (c *command) find(t *text, at int) {
	if at > 0 && is(t.s[at-1], alphanum) {
		return
	}
	if memo := t.commands[c]; at < memo {
		return
	}
	body := at + len(c.program)
	if t.s[body-1] != ' ' && is(t.byteAt(body), letter) {
		return
	}
	words, end := t.commandWords(body)
	if t.commands == nil {
		t.commands = map[*command]int{}
	}
	t.commands[c] = end
	place, opted := 0, len(c.options) == 0
	for i := 0; i < len(words); i++ {
		w := t.s[words[i].from:words[i].to]
		if c.word > 0 && !strings.HasPrefix(w, "-") {
			if place++; place == c.word && opted {
				c.take(t, words[i])
				return
			}
			continue
		}
		for _, o := range c.options {
			rest, ok := strings.CutPrefix(w, o)
			if !ok {
				continue
			}
			if c.word > 0 {
				opted = opted || rest == ""
				continue
			}
			value := words[i]
			switch {
			case rest == "" && c.form != tightly && i+1 < len(words):
				value = words[i+1]
			case rest == "":
				continue
			case rest[0] == '=':
				value.from += len(o) + 1
			case len(o) == 2 || c.form == tightly:
				value.from += len(o)
			default:
				continue
			}
			c.take(t, value)
		}
	}
}

// take judges the value of an option.
func (c *command) take(t *text, w commandWord) {
	for w.from < w.to && strings.IndexByte("\"'$`", t.s[w.from]) >= 0 && !(t.s[w.from] == '$' && t.byteAt(w.from+1) != '\'') {
		w.from++
	}
	w.to = t.trim(w.from, w.to, "\"'`")
	value := t.judged(w.from, w.to)
	divider := dividers[c.form]
	if divider != "" {
		user, rest, ok := strings.Cut(value, divider)
		if !ok || strings.ContainsAny(user, "/$") {
			return
		}
		w.from += len(user) + 1
		value = rest
	}
	if len(value) < 3 || placeholder(value) || isDigits(value) && len(value) < 6 || strings.Contains(value, "://") || strings.HasPrefix(value, "-") && !strong(value) {
		return
	}
	if divider == "" && (len(value) < 6 || !strong(value) && !(len(value) >= 8 && only(value, letter) && !wordy(value)) && (makeupOf(value).digits == 0 && !strings.ContainsAny(value, strongMarks) || jargon(value, false) || elsewhere(value) || value[0] == '/' || placePath(value))) {
		return
	}
	t.add(w.from, w.to, password, rankCommand)
}

// commandWords returns the words of the command that continues at t.s[i:], up to its end.
func (t *text) commandWords(i int) (words []commandWord, end int) {
	limit := min(len(t.s), i+longestCommand)
	from := i
	cut := func(to int) {
		if to > from {
			words = append(words, commandWord{from, to})
		}
	}
	for ; i < limit; i++ {
		c := t.s[i]
		switch {
		case c == '\\' && i+1 < limit && (t.s[i+1] == '\n' || t.s[i+1] == '\r'), c == '`' && i+1 < limit && t.s[i+1] == '\n', c == '^' && i+1 < limit && t.s[i+1] == '\n':
			cut(i)
			if i++; t.byteAt(i) == '\r' {
				i++
			}
			from = i + 1
		case c == '\n' || c == '|' && i > from-1 && (t.byteAt(i-1) == ' ' || t.byteAt(i+1) == ' ') || c == ';' && (t.byteAt(i+1) == ' ' || t.byteAt(i+1) == '\n') || c == '&' && t.byteAt(i+1) == '&':
			cut(i)
			t.count(i - from + 1)
			return words, i
		case c == ' ' || c == '\t':
			cut(i)
			from = i + 1
		case c == '"' || c == '\'':
			stop := min(t.find(c, i+1), t.line(i), limit)
			if stop < limit && t.s[stop] == c {
				t.count(stop - i)
				i = stop
			}
		case c == '`' && i > from: // the end of code in a sentence
			cut(i)
			return words, i
		}
	}
	cut(limit)
	t.count(limit - i + len(words)*8)
	return words, limit
}

// behindText finds a password behind a text of n bytes at t.s[at:].
func (t *text) behindText(at, n int) {
	if at > 0 && is(t.s[at-1], word) {
		return
	}
	i := at + n
	if t.s[i-1] == ' ' {
		i = t.blanks(i)
	}
	l, ok := t.quoted(i)
	if !ok {
		end := t.trim(i, t.end(written, i), ";,.)")
		if end == i {
			return
		}
		l = literal{i, end, end, false}
	}
	value := t.judged(l.from, l.to)
	switch {
	case value == "" || placeholder(value) || elsewhere(value):
	case l.quoted && len(value) >= 4 && !strings.Contains(value, " ") && !jargon(value, true) && oneOf(t.s[at:at+n], quotedBehind) != "":
		t.add(l.from, l.to, password, rankCommand)
	case len(value) >= 6 && (strong(value) || makeupOf(value).changes >= 2 || makeupOf(value).digits > 0 && makeupOf(value).letters > 2 && len(value) >= 8) && !jargon(value, false) && !code(value) && !placePath(value):
		t.add(l.from, l.to, password, rankCommand)
	}
}

// chpasswd finds the password in echo 'joe:x' | chpasswd, which ends at t.s[at:].
func (t *text) chpasswd(at int) {
	t.echo(at, ":")
}

// echoed finds the password in echo x | sudo -S, which ends at t.s[at:].
func (t *text) echoed(at int) {
	if k := strings.LastIndexByte(t.before(at+1, 80), '|'); k >= 0 {
		t.echo(at+1-len(t.before(at+1, 80))+k, "")
	}
}

// echo finds the text that is echoed into the pipe at t.s[at:].
func (t *text) echo(at int, divider string) {
	w := t.before(at, 120)
	k := max(strings.LastIndex(w, "echo "), strings.LastIndex(w, "printf "), strings.LastIndex(w, "<<< "))
	t.count(len(w))
	if k < 0 {
		return
	}
	said := strings.TrimRight(w[k:], " ")
	from := strings.LastIndexAny(said, " \t") + 1
	value := strings.Trim(said[from:], "\"'")
	value = strings.TrimSuffix(strings.TrimSuffix(value, `\n`), `\r`)
	start := at - len(w) + k + from + strings.Index(said[from:], value)
	if divider != "" {
		user, rest, ok := strings.Cut(value, divider)
		if !ok {
			return
		}
		start += len(user) + 1
		value = rest
	}
	if len(value) >= 6 && !placeholder(value) && (strong(value) || makeupOf(value).digits > 0 && makeupOf(value).letters > 2) && !jargon(value, false) && !placePath(value) {
		t.add(start, start+len(value), password, rankCommand)
	}
}

// pgpass finds the password in a line of ~/.pgpass: host:5432:db:user:password.
func pgpass(t *text, at int) {
	end := min(t.line(at), at+300)
	parts := strings.SplitN(t.s[at+1:end], ":", 4)
	t.count(end - at)
	if len(parts) < 4 || len(parts[0]) != 4 || !isDigits(parts[0]) || strings.ContainsAny(parts[1]+parts[2], " /") {
		return
	}
	pass := upTo(parts[3], " \t\r\"'")
	if len(pass) >= 4 && !placeholder(pass) {
		from := at + 1 + len(parts[0]) + len(parts[1]) + len(parts[2]) + 3
		t.add(from, from+len(pass), password, rankCommand)
	}
}

// netrc finds the password behind login, in one line or the next: login joe password x.
func netrc(t *text, at int) {
	i := t.end(written, at+len("login "))
	i = t.space(i)
	if hasFold(t.window(i, 8), "account ") {
		i = t.space(t.end(written, t.space(i+8)))
	}
	if !hasFold(t.window(i, 9), "password ") {
		return
	}
	i = t.blanks(i + 9)
	from := i
	if c := t.byteAt(i); c == '"' || c == '\'' {
		from++
	}
	end := t.end(written, from)
	if value := t.judged(from, end); len(value) >= 3 && !placeholder(value) && (makeupOf(value).digits > 0 || strong(value) || strings.ContainsAny(value, strongMarks)) {
		t.add(from, end, password, rankCommand)
	}
}

// aclUser finds the passwords of ACL SETUSER joe on >x, and their hashes, #x.
func (t *text) aclUser(at int) {
	words, _ := t.commandWords(at)
	for _, w := range words {
		value := t.judged(w.from+1, w.to)
		if c := t.s[w.from]; len(value) > 5 && (c == '>' && strong(value) || c == '#' && only(value, hexadecimal)) {
			t.add(w.from+1, w.to, password, rankCommand)
		}
	}
}

// redisAuth finds the password in AUTH commands of Redis and mail servers: AUTH joe x, AUTH PLAIN x.
func (t *text) redisAuth(at int) {
	if t.s[at:at+4] != "AUTH" || at > 0 && is(t.s[at-1], word) {
		return
	}
	words, _ := t.commandWords(at + 4)
	for _, w := range words[:min(2, len(words))] {
		to := t.trim(w.from, w.to, ".,:\"'`\r")
		for w.from < to && strings.IndexByte("\"'", t.s[w.from]) >= 0 {
			w.from++
		}
		if value := t.judged(w.from, to); strong(value) && !placeholder(value) && !jargon(value, false) && !elsewhere(value) {
			t.add(w.from, to, password, rankCommand)
		}
	}
}

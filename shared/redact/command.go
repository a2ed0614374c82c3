package redact

// commandSigns are passwords that commands and files of other programs take
// without a telling name beside them.
func commandSigns() []sign {
	form := func(expression string) *pattern {
		return &pattern{kind: "password", text: `\A` + expression, rank: rankCommand,
			sure: func(value string) bool { return !placeholder(value) && !isDigits(value) }}
	}
	basic := `[^\n]{0,300}?\s(?:-u|--user|--proxy-user|-U)[ =]?["']?[^\s:"'/]+:([^\s"']{3,})`
	return []sign{
		form(`(?i)curl\b` + basic).sign("curl"), form(`(?i)https?\b[^\n]{0,300}?\s(?:-a|--auth)[ =]["']?[^\s:"'/]+:([^\s"']{3,})`).sign("http "),
		form(`(?i)htpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+\S+\s+\S+\s+["']?([^\s"']{3,})`).sign("htpasswd"),
		form(`(?i)sqlcmd\b[^\n]{0,200}?\s-P\s*["']?([^\s"']{3,})`).sign("sqlcmd"),
		form(`(?i)smbclient\b[^\n]{0,200}?\s-U\s*["']?[^\s%"']+%([^\s"']{3,})`).sign("smbclient"),
		form(`(?i)sshpass\s+-p\s*["']?([^\s"']{3,})`).sign("sshpass"),
		form(`(?i)mysql(?:dump|admin)?\b[^\n]{0,200}?\s-p([^\s"']{4,})`).sign("mysql"),
		form(`(?i)(?:docker|podman|helm|registry|oras)\s+(?:registry\s+)?login\b[^\n]{0,200}?\s-p[ =]?["']?([^\s"']{3,})`).sign("docker "),
		form(`(?i)podman\s+login\b[^\n]{0,200}?\s-p[ =]?["']?([^\s"']{3,})`).sign("podman "),
		form(`(?i)redis-cli\b[^\n]{0,200}?\s-a\s*["']?([^\s"']{4,})`).sign("redis-cli"),
		form(`(?i)-pass(?:in|out)?\s+pass:([^\s"']{3,})`).sign("-pass"),
		form(`(?i)login\s+\S{1,200}\s+(?:account\s+\S+\s+)?password\s+["']?([^\s"']{3,})`).sign("login "),
		form(`(?i)identified\s+by\s+["']([^"'\n]{3,})["']`).sign("identified by"),
		form(`(?i):543\d:[^\s:]{1,64}:[^\s:]{1,64}:([^\s:]{4,})`).sign(":543"),
		form(`(?i)ConvertTo-SecureString\s+(?:-String\s+)?["']([^"'\n]{4,})["']`).sign("convertto-securestring"),
	}
}
